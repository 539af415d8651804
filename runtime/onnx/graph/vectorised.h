// Plain loops over many numbers that compilers vectorise.
#pragma once

// Compiled for newer processors as well; the running processor selects its version. Sanitizers do not support that.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define F2O_VECTORISED [[gnu::target_clones("avx2", "default")]]
#else
#define F2O_VECTORISED
#endif
