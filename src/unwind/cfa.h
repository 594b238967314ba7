/*
 * Runs the call frame instructions of one function (DWARF 5 section 6.4.2 and 7.24) and writes a row for
 * every change of what a walk needs: the CFA and where the caller's frame pointer is. Background thread.
 *
 * Row by row what readelf says for glibc, libstdc++, OpenSSL, node 20 and 24, librustc_driver, libLLVM,
 * python3 and a cgo binary (over 4 million rows). What is not understood becomes UNWIND_CFA_UNTRACKED rows.
 */
#ifndef OTELPROF_UNWIND_CFA_H
#define OTELPROF_UNWIND_CFA_H

#include <stdint.h>

#include "unwind/ehframe.h"
#include "unwind/rows.h"

enum cfa_form { CFA_REGISTER, CFA_DEREF, CFA_PLT, CFA_OTHER };
enum cfa_ra { CFA_RA_AT_CFA, CFA_RA_UNDEFINED, CFA_RA_OTHER };

/* One line of DWARF's table: the columns that we follow. */
struct cfa_state {
    uint64_t reg;   /* that the CFA is computed from */
    int64_t offset; /* added to it, before a load if the form says so */
    int64_t addend; /* after the load; for CFA_PLT the byte where the entry has pushed */
    int64_t fp_offset;
    uint8_t form; /* enum cfa_form */
    uint8_t fp;   /* enum unwind_fp */
    uint8_t ra;   /* enum cfa_ra */
};

/* The state that the CIE's initial instructions leave. */
void cfa_initial(const struct ehframe_image *image, const struct ehframe_cie *cie, struct cfa_state *state);

/*
 * Writes the rows of |fde| to |rows|, as offsets from |base|, for the code from fde->start to |limit| (at
 * most its own end). |initial| is its CIE's state.
 */
void cfa_run(const struct ehframe_image *image, const struct ehframe_cie *cie, const struct ehframe_fde *fde,
             const struct cfa_state *initial, uintptr_t base, uintptr_t limit, struct cfi_rows *rows);

/* |state| as a rule; in a CIE marked as a signal frame only the kernel's own layout is one. */
struct unwind_rule cfa_rule(const struct cfa_state *state, int signal_frame);

#endif
