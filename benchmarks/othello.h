/* Othello's rules in C, to measure the compiled kernels against: the same algorithm line for line as
 * src/outflank/othello/rules.py. With -DLANES the directions are the lanes of a vector, as
 * ours are; without, they are written out, as C is written.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t u64;

enum { PASS = 64, ROOM = 1 << 14 };
static const u64 INNER = 0x7E7E7E7E7E7E7E7EULL, WHOLE = ~0ULL;

typedef struct { u64 own, opp; } Position;
typedef struct { uint16_t moves[ROOM]; } Worker;

#ifdef LANES

typedef u64 v4 __attribute__((vector_size(32)));
typedef int64_t s4 __attribute__((vector_size(32)));

static const v4 STEP = {1, 8, 7, 9};
#define LINES ((v4){INNER, WHOLE, INNER, INNER})

static inline v4 spread(u64 word) { return (v4){word, word, word, word}; }
static inline u64 merged(v4 v) { return (v[0] | v[1]) | (v[2] | v[3]); }
static inline v4 occupied(v4 v) { return (v4)((s4)v != 0); }

static inline v4 upwards(v4 line, v4 from) {
    v4 up = line & (from << STEP);
    up |= line & (up << STEP);
    v4 pairs = line & (line << STEP);
    up |= pairs & (up << (STEP << 1));
    return up | (pairs & (up << (STEP << 1)));
}

static inline v4 downwards(v4 line, v4 from) {
    v4 down = line & (from >> STEP);
    down |= line & (down >> STEP);
    v4 pairs = line & (line >> STEP);
    down |= pairs & (down >> (STEP << 1));
    return down | (pairs & (down >> (STEP << 1)));
}

static inline u64 legal(u64 own, u64 opp) {
    v4 mine = spread(own), line = spread(opp) & LINES;
    v4 up = upwards(line, mine), down = downwards(line, mine);
    return merged((up << STEP) | (down >> STEP)) & ~(own | opp);
}

static inline u64 flips(u64 own, u64 opp, u64 disc) {
    v4 mine = spread(own), placed = spread(disc), line = spread(opp) & LINES;
    v4 up = upwards(line, placed), down = downwards(line, placed);
    up &= occupied((up << STEP) & mine);
    down &= occupied((down >> STEP) & mine);
    return merged(up | down);
}

#else

static inline u64 upwards(u64 line, u64 from, int step) {
    u64 up = line & (from << step);
    up |= line & (up << step);
    u64 pairs = line & (line << step);
    up |= pairs & (up << 2 * step);
    return up | (pairs & (up << 2 * step));
}

static inline u64 downwards(u64 line, u64 from, int step) {
    u64 down = line & (from >> step);
    down |= line & (down >> step);
    u64 pairs = line & (line >> step);
    down |= pairs & (down >> 2 * step);
    return down | (pairs & (down >> 2 * step));
}

static inline u64 reached(u64 own, u64 line, int step) {
    return (upwards(line, own, step) << step) | (downwards(line, own, step) >> step);
}

static inline u64 legal(u64 own, u64 opp) {
    u64 inner = opp & INNER;
    return (reached(own, inner, 1) | reached(own, opp, 8) | reached(own, inner, 7) | reached(own, inner, 9))
           & ~(own | opp);
}

static inline u64 turned(u64 own, u64 line, u64 disc, int step) {
    u64 up = upwards(line, disc, step), down = downwards(line, disc, step);
    if (!((up << step) & own)) up = 0;
    if (!((down >> step) & own)) down = 0;
    return up | down;
}

static inline u64 flips(u64 own, u64 opp, u64 disc) {
    u64 inner = opp & INNER;
    return turned(own, inner, disc, 1) | turned(own, opp, disc, 8) | turned(own, inner, disc, 7)
           | turned(own, inner, disc, 9);
}

#endif

static inline int64_t fill(u64 mask, Position p, uint16_t *moves, int64_t start) {
    u64 todo = legal(p.own, p.opp) & mask;
    int64_t end = start;
    while (todo) {
        moves[end++] = (uint16_t)__builtin_ctzll(todo);
        todo &= todo - 1;
    }
    if (end == start && legal(p.opp, p.own) & mask) moves[end++] = PASS;
    return end;
}

static inline int64_t count(u64 mask, Position p) {
    u64 todo = legal(p.own, p.opp) & mask;
    if (!todo) return (legal(p.opp, p.own) & mask) ? 1 : 0;
    return __builtin_popcountll(todo);
}

static inline Position play(Position p, uint16_t move) {
    if (move == PASS) return (Position){p.opp, p.own};
    u64 disc = 1ULL << move, turn = flips(p.own, p.opp, disc);
    return (Position){p.opp ^ turn, p.own ^ turn ^ disc};
}

static const Position START = {1ULL << 28 | 1ULL << 35, 1ULL << 27 | 1ULL << 36};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
