// cgo_program MILLIS: four goroutines and a thread of C burn about that much CPU each. The Go runtime takes every signal
// there is and runs goroutines on stacks of a few KiB. Prints what the process used, by getrusage.
package main

/*
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static long long process_cpu(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static long long thread_cpu(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void *burn_in_c(void *millis)
{
	volatile double burned = 0;
	long long end = thread_cpu() + (long)millis * 1000000LL;
	while (thread_cpu() < end)
		for (int i = 0; i < 10000; i++) burned += i * 0.5;
	return NULL;
}

static pthread_t thread;

static int start(long millis)
{
	return pthread_create(&thread, NULL, burn_in_c, (void *)millis);
}

static void finish(void)
{
	pthread_join(thread, NULL);
}
*/
import "C"

import (
	"os"
	"strconv"
)

//go:noinline
func burnInGo(rounds int) int {
	total := 0
	for i := 0; i < rounds; i++ {
		total += i % 7
	}
	return total
}

// Stacks that grow are copied: the walk meets them at any moment.
//
//go:noinline
func deep(n, rounds int) int {
	var room [64]int
	if n == 0 {
		return burnInGo(rounds)
	}
	room[n%64] = deep(n-1, rounds)
	return room[n%64] + 1
}

func work(millis int, out chan int) {
	n := 0
	for i := 0; i < millis; i++ {
		n += deep(i%100, 500000)
	}
	out <- n
}

func main() {
	begin := C.process_cpu()
	millis, _ := strconv.Atoi(os.Args[1])
	out := make(chan int)
	for i := 0; i < 4; i++ {
		go work(millis, out)
	}
	failed := C.start(C.long(millis))
	total := 0
	for i := 0; i < 4; i++ {
		total += <-out
	}
	if failed == 0 {
		C.finish()
	}
	os.Stdout.WriteString("sum " + strconv.Itoa(total) + "\nused " + strconv.FormatInt(int64(begin), 10) + " " +
		strconv.FormatInt(int64(C.process_cpu()), 10) + "\n")
}
