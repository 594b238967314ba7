// Exceptions thrown and caught through frames with destructors, for N milliseconds.
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

struct Guard {
    std::string text = "guard";
    ~Guard() { text.clear(); }
};

__attribute__((noinline)) static int thrower(int depth)
{
    Guard guard;
    if (!depth) throw std::runtime_error(guard.text);
    return thrower(depth - 1) + static_cast<int>(guard.text.size());
}

int main(int argc, char **argv)
{
    long until = std::atol(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);
    for (int i = 0; std::clock() < until; i++) {
        try {
            thrower(i % 20);
        } catch (const std::exception &error) {
            if (error.what()[0] != 'g') return 1;
        }
    }
    return 0;
}
