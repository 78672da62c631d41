"""Adam that starts without PyTorch's compiler."""

from __future__ import annotations

import inspect
from functools import partial

import torch

_unwrap = partial(inspect.unwrap, stop=lambda each: not inspect.isfunction(each))


class Adam(torch.optim.Adam):
    """PyTorch's Adam without what it tells `torch.compile`: that alone imports the compiler, three to five seconds."""

    add_param_group = _unwrap(torch.optim.Adam.add_param_group)
    load_state_dict = _unwrap(torch.optim.Adam.load_state_dict)
    state_dict = _unwrap(torch.optim.Adam.state_dict)
    zero_grad = _unwrap(torch.optim.Adam.zero_grad)
    step = torch.no_grad()(_unwrap(torch.optim.Adam.step))
