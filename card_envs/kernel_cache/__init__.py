"""A dispatcher of Numba whose machine code is kept on disk, for functions of any package.

The interface is `dispatcher.Kernel`, the class of such functions, and `folder.cache_folder`, where their code lies.
Numba's own cache loads wrong code for record types (`tests/compiler/test_numba.py` shows it); on the day that test
passes, this package can go. Only its modules use private classes of Numba: importing `dispatcher` raises ImportError or
AttributeError for a version that it does not support.
"""
