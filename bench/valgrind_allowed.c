/* Lets the library work under valgrind, where it stands down otherwise: callgrind counts its instructions. */
#include "config/activation.h"

const char *__real_activation_decide(struct activation_input *input, char *const *environment,
                                     struct settings_file *file);

const char *__wrap_activation_decide(struct activation_input *input, char *const *environment,
                                     struct settings_file *file)
{
    input->valgrind = 0;
    return __real_activation_decide(input, environment, file);
}
