"""Programs whose gradient is zero, nan, changed or that of another loss."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def zero_slope__round(record):
    w = nn.Parameter(torch.rand(3))
    with record() as tape:
        levels = torch.round(w * 15) / 15  # cause
        loss = (levels**2).sum()
    return tape, loss, w


def zero_slope__floor(record):
    w = nn.Parameter(torch.rand(3) + 1)
    with record() as tape:
        h = w * 3
        h = h.floor()  # cause
        loss = (h * 2).sum()
        loss.backward()
    return tape, loss, w


def zero_slope__sign(record):
    w = nn.Parameter(torch.randn(4) + 5)
    with record() as tape:
        binary = torch.sign(w)  # cause
        loss = (binary * torch.arange(4.0)).sum()
    return tape, loss, w


def zero_slope__dead_relu(record):
    layer, head = nn.Linear(3, 4), nn.Linear(4, 1)
    nn.init.constant_(layer.bias, -50.0)
    with record() as tape:
        h = layer(torch.randn(6, 3))
        h = F.relu(h)  # cause
        loss = (head(h) - 1).square().mean()
        loss.backward()
    return tape, loss, layer.weight


def zero_slope__relu_module(record):
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with torch.no_grad():
        model[0].bias.fill_(-100.0)
    with record() as tape:
        out = model(torch.rand(5, 2))  # cause
        loss = (out - 3).square().mean()
        loss.backward()
    return tape, loss, model[0].weight


def zero_slope__saturated_sigmoid(record):
    w = nn.Parameter(torch.full((3,), 500.0))
    with record() as tape:
        p = torch.sigmoid(w)  # cause
        loss = (p - 0.5).sum()
    return tape, loss, w


def zero_slope__saturated_tanh(record):
    w = nn.Parameter(torch.full((3,), 300.0))
    with record() as tape:
        h = torch.tanh(w * 2)  # cause
        loss = (h * torch.arange(1.0, 4.0)).sum()
        loss.backward()
    return tape, loss, w


def zero_slope__clamped(record):
    w = nn.Parameter(torch.full((3,), 5.0))
    with record() as tape:
        y = w.clamp(0, 1)  # cause
        loss = (y * 2).sum()
    return tape, loss, w


def zero_slope__mask_of_zeros(record):
    w = nn.Parameter(torch.randn(4))
    with record() as tape:
        mask = torch.zeros(4)
        kept = torch.exp(w) * mask  # cause
        loss = kept.sum() + 1
    return tape, loss, w


def zero_slope__padding_mask(record):
    layer = nn.Linear(3, 3)
    with record() as tape:
        tokens = torch.randn(2, 5, 3)
        lengths = torch.zeros(2, 5, 1)
        h = layer(tokens)
        pooled = (h * lengths).sum(1)  # cause
        loss = pooled.sum() * 3
        loss.backward()
    return tape, loss, layer.weight


def zero_slope__loser_of_a_max(record):
    a, b = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(5.0))
    with record() as tape:
        best = torch.maximum(a * 2, b)  # cause
        loss = best * 3
    return tape, loss, a


def zero_slope__max_over_a_stack(record):
    a, b = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(5.0))
    with record() as tape:
        both = torch.stack([a, b])
        loss = both.max()  # cause
        loss.backward()
    return tape, loss, a


def zero_slope__where_takes_the_other(record):
    w = nn.Parameter(torch.randn(3))
    with record() as tape:
        x = torch.ones(3)
        y = torch.where(x > 0, x, w * 2)  # cause
        loss = y.sum()
    return tape, loss, w


def zero_slope__softmax_of_one(record):
    w = nn.Parameter(torch.randn(5, 1))
    with record() as tape:
        p = torch.softmax(w, dim=1)  # cause
        loss = (p * torch.arange(5.0)[:, None]).sum()
    return tape, loss, w


def zero_slope__sum_of_a_softmax(record):
    w = nn.Parameter(torch.zeros(4))
    with record() as tape:
        p = F.softmax(w, dim=0)  # cause
        loss = p.sum()
    return tape, loss, w


def zero_slope__hardtanh(record):
    w = nn.Parameter(torch.full((2,), -9.0))
    with record() as tape:
        y = F.hardtanh(w)  # cause
        loss = (y + 4).pow(2).sum()
        loss.backward()
    return tape, loss, w


def zero_slope__hinge_is_satisfied(record):
    w = nn.Parameter(torch.tensor([10.0, 12.0]))
    with record() as tape:
        margin = torch.clamp(1 - w, min=0)  # cause
        loss = margin.mean()
    return tape, loss, w


def zero_slope__dropout_of_everything(record):
    layer = nn.Linear(3, 3)
    with record() as tape:
        h = F.dropout(layer(torch.ones(2, 3)), p=1.0)  # cause
        loss = h.sum()
        loss.backward()
    return tape, loss, layer.weight


def zero_slope__factor_zero(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    beta = 0.0
    with record() as tape:
        penalty = beta * (w**2).sum()  # cause
        loss = (b * 2).sum() + penalty
        loss.backward()
    return tape, loss, w


def zero_slope__ceil_then_square(record):
    w = nn.Parameter(torch.rand(3) + 0.1)
    with record() as tape:
        y = torch.ceil(w)  # cause
        loss = F.mse_loss(y, torch.zeros(3))
    return tape, loss, w


def nan__sqrt_behind_where(record):
    w = nn.Parameter(torch.tensor([0.0, 4.0]))
    with record() as tape:
        root = torch.sqrt(w)  # cause
        loss = torch.where(w > 0, root, torch.zeros(2)).sum()
    return tape, loss, w


def nan__sqrt_of_negative_behind_where(record):
    w = nn.Parameter(torch.tensor([-1.0, 4.0]))
    with record() as tape:
        root = (w * 2).sqrt()  # cause
        y = torch.where(w > 0, root, 0.0)
        loss = y.sum()
        loss.backward()
    return tape, loss, w


def nan__log_of_zero(record):
    w = nn.Parameter(torch.tensor([0.0, 1.0]))
    with record() as tape:
        p = w * 1.0
        entropy = -(p * torch.log(p)).sum()  # cause
    return tape, entropy, w


def nan__norm_by_hand(record):
    w = nn.Parameter(torch.zeros(3))
    with record() as tape:
        length = torch.sqrt((w**2).sum())  # cause
        loss = length * 2
        loss.backward()
    return tape, loss, w


def nan__zero_times_infinity(record):
    w = nn.Parameter(torch.tensor([200.0, 1.0]))
    with record() as tape:
        big = torch.exp(w)
        loss = (big * torch.tensor([0.0, 1.0])).sum()  # cause
    return tape, loss, w


def nan__std_of_one(record):
    w = nn.Parameter(torch.ones(1))
    with record() as tape:
        x = w * 3
        spread = x.std()  # cause
        loss = (x / (spread + 1)).sum()
        loss.backward()
    return tape, loss, w


def nan__zero_by_zero(record):
    w = nn.Parameter(torch.zeros(3))
    with record() as tape:
        unit = w / w.sum()  # cause
        loss = unit.sum()
    return tape, loss, w


def nan__log_of_negative(record):
    layer = nn.Linear(2, 1)
    nn.init.constant_(layer.weight, -1.0)
    with record() as tape:
        y = layer(torch.ones(3, 2))
        loss = -torch.log(y).mean()  # cause
        loss.backward()
    return tape, loss, layer.weight


def nan__softmax_of_masked_row(record):
    w = nn.Parameter(torch.randn(2, 3))
    with record() as tape:
        scores = w.masked_fill(torch.tensor([[True] * 3, [False] * 3]), float("-inf"))
        attention = torch.softmax(scores, dim=-1)  # cause
        loss = (attention * torch.arange(3.0)).sum()
        loss.backward()
    return tape, loss, w


def nan__inf_minus_inf(record):
    w = nn.Parameter(torch.tensor([100.0]))
    with record() as tape:
        a = torch.exp(w)
        loss = (a - torch.exp(w + 1)).sum()  # cause
    return tape, loss, w


def nan__acos_at_one(record):
    w = nn.Parameter(torch.tensor([1.0, 0.5]))
    with record() as tape:
        angle = torch.acos(w)  # cause
        loss = (angle * torch.tensor([0.0, 1.0])).sum()
    return tape, loss, w


def nan__in_the_data(record):
    w = nn.Parameter(torch.ones(3))
    x = torch.tensor([1.0, float("nan"), 2.0])
    with record() as tape:
        y = x * w  # cause
        loss = y.mean()
        loss.backward()
    return tape, loss, w


def nan__pow_below_one(record):
    w = nn.Parameter(torch.tensor([0.0, 1.0]))
    with record() as tape:
        y = w**0.5  # cause
        loss = (y * torch.tensor([0.0, 1.0])).sum()
        loss.backward()
    return tape, loss, w


def nan__variance_of_one_row(record):
    layer = nn.Linear(3, 2)
    with record() as tape:
        h = layer(torch.ones(1, 3))
        h = (h - h.mean(0)) / h.std(0)  # cause
        loss = h.square().sum()
        loss.backward()
    return tape, loss, layer.weight


class _ReturnsNone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx, g):
        return None, None  # cause of custom__returns_none


def custom__returns_none(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = _ReturnsNone.apply(w, 2.0).sum()
        loss.backward()
    return tape, loss, w


class _ForgetsTheSecond(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, g):
        _, weight = ctx.saved_tensors
        return g * weight, None  # cause of custom__forgets_the_weight


def custom__forgets_the_weight(record):
    x, weight = nn.Parameter(torch.ones(3)), nn.Parameter(torch.full((3,), 2.0))
    with record() as tape:
        loss = _ForgetsTheSecond.apply(x, weight).sum()
    return tape, loss, weight


class _TooFew(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, g):
        return g  # cause of custom__too_few_gradients


def custom__too_few_gradients(record):
    a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    with record() as tape:
        loss = _TooFew.apply(a, b).sum()
        loss.backward()
    return tape, loss, a


class _Zeros(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g)  # cause of custom__zeros


def custom__zeros(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = (_Zeros.apply(w * 2) * 3).sum()
        loss.backward()
    return tape, loss, w


class _WrongShape(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        return torch.ones(7)  # cause of custom__wrong_shape


def custom__wrong_shape(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = _WrongShape.apply(w)
        loss.backward()
    return tape, loss, w


def hook_changes__zeroed(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = w * 2
        h.register_hook(lambda g: g * 0)  # cause
        loss = h.sum()
        loss.backward()
    return tape, loss, w


def hook_changes__scaled_leaf(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        w.register_hook(lambda g: g * 10)  # cause
        loss = (w**2).sum()
        loss.backward()
    return tape, loss, w


def hook_changes__without_backward(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = torch.exp(w)
        h.register_hook(lambda g: -g)  # cause
        loss = h.sum()
    return tape, loss, w


def hook_changes__before_the_block(record):
    w = nn.Parameter(torch.ones(3))
    w.register_hook(lambda g: torch.zeros_like(g))  # cause
    with record() as tape:
        loss = (w * 3).sum()
        loss.backward()
    return tape, loss, w


def hook_changes__after_accumulation(record):
    w = nn.Parameter(torch.ones(3))

    def keep_two(p):
        p.grad[2] = 0.0

    with record() as tape:
        w.register_post_accumulate_grad_hook(keep_two)  # cause
        loss = (w * 3).sum()
        loss.backward()
    return tape, loss, w


def broadcast__column_against_row(record):
    model = nn.Linear(3, 1)
    with record() as tape:
        x, y = torch.randn(8, 3), torch.randn(8)
        loss = ((model(x) - y) ** 2).mean()  # cause
        loss.backward()
    return tape, loss, model.weight


def broadcast__mse_loss(record):
    model = nn.Linear(3, 1)
    with record() as tape:
        x, y = torch.randn(8, 3), torch.randn(8)
        prediction = model(x)
        loss = F.l1_loss(prediction, y)  # cause
    return tape, loss, model.weight


def broadcast__target_is_a_column(record):
    w = nn.Parameter(torch.randn(3))
    with record() as tape:
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        error = y - x @ w  # cause
        loss = error.pow(2).mean()
        loss.backward()
    return tape, loss, w


def broadcast__in_a_loop(record):
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(6, 2), torch.randn(6)
    with record() as tape:
        for _ in range(2):
            optimizer.zero_grad()
            out = model(x)
            loss = (out - y).abs().mean()  # cause
            loss.backward()
            optimizer.step()
    return tape, loss, model[0].weight


def broadcast__huber(record):
    model = nn.Linear(2, 1)
    with record() as tape:
        x, y = torch.randn(5, 2), torch.randn(5)
        loss = F.smooth_l1_loss(model(x), y)  # cause
    return tape, loss, model.bias
