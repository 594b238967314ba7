long tiny_function(long value);

long tiny_function(long value)
{
    return value;
}
