/* Fibonacci numbers and n queens without any runtime: the base of what a spawn costs.

   forkjoin PROGRAM N: prints wall-clock seconds, processor seconds and the result as JSON. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long fib(long n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static long place(long free, long columns, long rising, long falling, long full) {
    long square = free & -free, others = free ^ square, taken = columns | square;
    long up = (rising | square) << 1, down = (falling | square) >> 1;
    long below = full & ~(taken | up | down), count = 0;
    if (taken == full) return 1;
    if (below) count = place(below, taken, up, down, full);
    if (others) count += place(others, columns, rising, falling, full);
    return count;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    long n = count > 2 ? atol(arguments[2]) : 30, full = (1L << n) - 1;
    int is_fib = count > 1 && !strcmp(arguments[1], "fib");
    double wall = seconds(CLOCK_MONOTONIC), processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
    long value = is_fib ? fib(n) : place(full, 0, 0, 0, full);
    processor = seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    printf("{\"seconds\": %.9f, \"processor_seconds\": %.9f, \"value\": %ld}\n", wall, processor, value);
    return 0;
}
