// Plain loops over many numbers, of which compilers make vector instructions.
#pragma once

// Compiled for newer processors as well, of which the one that runs takes its own. Sanitizers do not get along with
// that.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define F2O_VECTORISED [[gnu::target_clones("avx2", "default")]]
#else
#define F2O_VECTORISED
#endif
