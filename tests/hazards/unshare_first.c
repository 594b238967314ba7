/* unshare_first: a program that must be single-threaded: unshare(CLONE_NEWUSER) as the first thing in main.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "burn.h"

int main(void)
{
    int rc = unshare(CLONE_NEWUSER);
    printf("unshare %d %s\n", rc, rc ? strerror(errno) : "");
    return rc != 0;
}
