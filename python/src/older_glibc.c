// glibc 2.35 gave hypot a new version, the same but for errno. With the one that every glibc of
// x86-64 has, a wheel also runs where 2.34 is installed, as in Red Hat's version 9. The linker
// sends calls of hypot here (python/CMakeLists.txt).
double hypot_of_any_glibc(double x, double y);
__asm__(".symver hypot_of_any_glibc, hypot@GLIBC_2.2.5");

double __wrap_hypot(double x, double y) { return hypot_of_any_glibc(x, y); }
