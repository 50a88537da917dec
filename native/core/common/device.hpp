// Functions marked LUDUS_HD compile for the CPU and, under nvcc, for the GPU as well.
#pragma once

#ifdef __CUDACC__
#define LUDUS_HD __host__ __device__
#else
#define LUDUS_HD
#endif
