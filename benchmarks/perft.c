/* perft in C: the same count as src/outflank/search/perft.py.
 *
 *   gcc -O3 -march=native perft.c -o perft              directions written out
 *   gcc -O3 -march=native -DLANES perft.c -o perft      directions as lanes of a vector
 *   ./perft DEPTH                                       prints leaves and seconds
 */
#include "othello.h"

static int64_t leaves(u64 mask, Position p, int64_t depth, int64_t ended, Worker *worker, int64_t start) {
    if (depth == 1) {
        int64_t moves = count(mask, p);
        return moves ? moves : ended;
    }
    int64_t end = fill(mask, p, worker->moves, start);
    if (end == start) return ended;
    int64_t found = 0;
    for (int64_t index = start; index < end; index++) {
        Position child = play(p, worker->moves[index]);
        if (depth == 2) {
            int64_t moves = count(mask, child);
            found += moves ? moves : ended;
        } else {
            found += leaves(mask, child, depth - 1, ended, worker, end);
        }
    }
    return found;
}

int main(int argc, char **argv) {
    static Worker worker;
    double started = now();
    int64_t found = leaves(WHOLE, START, argc > 1 ? atoi(argv[1]) : 9, 1, &worker, 0);
    printf("%lld %.6f\n", (long long)found, now() - started);
    return 0;
}
