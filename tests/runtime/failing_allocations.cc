// A separate file: GCC warns where it inlines only one of new and delete.
#include "tests/runtime/failing_allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace fluid2onnx::test {

Allocations allocations;

namespace {

bool fails() {
  if (!allocations.counted) return false;
  ++allocations.count;
  return allocations.first != 0 && (allocations.failing == Failing::one ? allocations.count == allocations.first
                                                                        : allocations.count >= allocations.first);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (size == 0) size = 1;
  void* const data = alignment <= alignof(std::max_align_t)
                         ? std::malloc(size)
                         : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (data) ++allocations.live;
  return data;
}

void release(void* data) noexcept {
  if (data) --allocations.live;
  std::free(data);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (fails()) {
    allocations.thrown = true;
    throw std::bad_alloc();
  }
  void* const data = allocate(size, alignment);
  if (!data) throw std::bad_alloc();
  return data;
}

void* allocate_or_refuse(std::size_t size, std::size_t alignment) noexcept {
  if (!fails()) return allocate(size, alignment);
  allocations.refused = true;
  return nullptr;
}

}  // namespace

}  // namespace fluid2onnx::test

using fluid2onnx::test::allocate_or_refuse;
using fluid2onnx::test::allocate_or_throw;
using fluid2onnx::test::release;

void* operator new(std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate_or_refuse(n, 0); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate_or_refuse(n, 0); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate_or_refuse(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate_or_refuse(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { release(p); }
