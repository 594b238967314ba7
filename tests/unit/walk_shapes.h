/* Stacks of many shapes for walk_test.c; compiled in several ways in walk_shapes_*.c(c). */
#ifndef OTELPROF_TESTS_WALK_SHAPES_H
#define OTELPROF_TESTS_WALK_SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

struct walk_shape {
    const char *name;
    /* Builds up a stack that depends on |seed| and calls |probe| in it at least once. */
    void (*run)(unsigned seed, void (*probe)(void));
    int short_enough_to_step;
};

/* Ended by a shape without a name. */
extern const struct walk_shape walk_shapes[];

/* |depth| levels, then the probe; with probing one at every level on the way out. */
void walk_recurse(unsigned depth, void (*probe)(void));
void walk_recurse_probing(unsigned depth, void (*probe)(void));

#ifdef __cplusplus
}
#endif

#endif
