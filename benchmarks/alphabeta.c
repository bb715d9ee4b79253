/* Fail-soft alpha-beta by discs in C: the same search as src/outflank/search/alphabeta.py makes without
 * table and ordering, a pass costing nothing.
 *
 *   gcc -O3 -march=native -DLANES alphabeta.c -o alphabeta
 *   ./alphabeta DEPTH        prints value, nodes and seconds of a search of f5 from the start
 */
#include "othello.h"

static int64_t nodes;

static inline int64_t discs(Position p) { return __builtin_popcountll(p.own) - __builtin_popcountll(p.opp); }

static int64_t alphabeta(u64 mask, Position p, int64_t alpha, int64_t beta, int64_t depth, Worker *worker, int64_t start) {
    nodes++;
    int64_t end = fill(mask, p, worker->moves, start);
    if (end == start) return discs(p);
    int64_t left = depth - 1;
    if (end == start + 1 && worker->moves[start] == PASS) left = depth;
    int64_t best = -(1LL << 40), low = alpha;
    for (int64_t index = start; index < end; index++) {
        Position child = play(p, worker->moves[index]);
        int64_t found;
        if (left == 0) {
            nodes++;
            found = -discs(child);
        } else {
            found = -alphabeta(mask, child, -beta, -low, left, worker, end);
        }
        if (found > best) {
            best = found;
            if (found > low) {
                low = found;
                if (found >= beta) break;
            }
        }
    }
    return best;
}

int main(int argc, char **argv) {
    static Worker worker;
    Position first = play(START, 37);
    double started = now();
    int64_t value = alphabeta(WHOLE, first, -30000, 30000, argc > 1 ? atoi(argv[1]) : 9, &worker, 0);
    printf("%lld %lld %.6f\n", (long long)value, (long long)nodes, now() - started);
    return 0;
}
