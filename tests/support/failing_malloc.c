/* For LD_PRELOAD: of the allocations that a program makes from the moment on at which it listens to
   signals, number FAIL_AT fails, and with FAIL_FOREVER all that follow too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long seen;
static long at;
static int forever;

int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  int (*const next)(int, const struct sigaction*, struct sigaction*) = dlsym(RTLD_NEXT, "sigaction");
  if (at == 0) {
    const char* text = getenv("FAIL_AT");
    forever = getenv("FAIL_FOREVER") != NULL;
    at = text == NULL ? -1 : atol(text);
  }
  return next(number, action, before);
}

static int refused(void) {
  if (at <= 0) return 0;
  const long number = atomic_fetch_add(&seen, 1) + 1;
  if (number != at && !(forever && number > at)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return refused() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return refused() ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return refused() ? NULL : __libc_realloc(old, size); }
void* memalign(size_t to, size_t size) { return refused() ? NULL : __libc_memalign(to, size); }
void* aligned_alloc(size_t to, size_t size) { return refused() ? NULL : __libc_memalign(to, size); }
int posix_memalign(void** block, size_t to, size_t size) {
  *block = refused() ? NULL : __libc_memalign(to, size);
  return *block == NULL ? ENOMEM : 0;
}
