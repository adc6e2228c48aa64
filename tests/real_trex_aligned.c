/* Preloaded into T-Rex: gives out memory for C++ objects that is aligned to 64 bytes. T-Rex has classes that ask for
 * that, and is built with -Wno-aligned-new for C++11, whose `new` does not keep it; newer compilers store to such
 * objects by instructions that fault elsewhere (CRxAstfCore::_do_start of 3.08 built by GCC 12). */
#include <stdlib.h>

void *
_Znwm (size_t size)
{
  void *found;

  if (posix_memalign (&found, 64, size ? size : 1))
    abort ();
  return found;
}
