"""Programs whose gradient is None: frozen, no leaf, replaced, left, detached, no_grad, without a derivative, unused."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def frozen__plain_tensor(record):
    w = torch.ones(3)  # cause
    with record() as tape:
        loss = (w * 2).sum() + torch.ones(1, requires_grad=True).sum()
    return tape, loss, w


def frozen__in_the_block(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        w.requires_grad_(False)  # cause
        b = torch.zeros(3, requires_grad=True)
        loss = (w * 2 + b).sum()
    return tape, loss, w


def frozen__attribute(record):
    layer = nn.Linear(3, 2)
    with record() as tape:
        layer.weight.requires_grad = False  # cause
        loss = layer(torch.ones(4, 3)).sum()
    return tape, loss, layer.weight


def frozen__backbone_before_the_block(record):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    for p in model[0].parameters():
        p.requires_grad = False  # cause
    with record() as tape:
        loss = model(torch.ones(2, 3)).pow(2).mean()
    weight = model[0].weight
    return tape, loss, weight


def frozen__whole_module(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(3, 3)
            self.head = nn.Linear(3, 1)

        def forward(self, x):
            return self.head(torch.tanh(self.encoder(x)))

    model = Net()
    model.encoder.requires_grad_(False)  # cause
    with record() as tape:
        loss = model(torch.randn(5, 3)).square().mean()
        loss.backward()
    return tape, loss, model.encoder.weight


def frozen__created_inside(record):
    with record() as tape:
        w = torch.zeros(4)  # cause
        x = torch.ones(4, requires_grad=True)
        loss = (w + x).sum()
    return tape, loss, w


def frozen__error_without_any_leaf(record):
    x = torch.ones(5, 2)
    with record() as tape:
        w = torch.randn(2)  # cause
        loss = (x @ w).sum()
        loss.backward()
    return tape, loss, w


def frozen__keyword(record):
    w = nn.Parameter(torch.ones(2), requires_grad=False)  # cause
    b = nn.Parameter(torch.ones(2))
    with record() as tape:
        loss = (w * b).sum()
    return tape, loss, w


def not_leaf__scaled(record):
    w = torch.randn(3, requires_grad=True) * 0.1  # cause
    with record() as tape:
        loss = (w * 2).sum()
        loss.backward()
    return tape, loss, w


def not_leaf__view_in_the_block(record):
    with record() as tape:
        w = torch.randn(6, requires_grad=True).view(2, 3)  # cause
        loss = w.sum()
        loss.backward()
    return tape, loss, w


def not_leaf__optimizer_refuses(record):
    with record() as tape:
        w = torch.randn(3, requires_grad=True) / 10  # cause
        torch.optim.SGD([w], lr=0.1)
    return tape, w, w


def not_leaf__stacked(record):
    with record() as tape:
        parts = [torch.ones(2, requires_grad=True) for _ in range(3)]
        table = torch.stack(parts)  # cause
        loss = (table**2).sum()
        loss.backward()
        assert parts[0].grad is not None
    return tape, loss, table


def not_leaf__moved(record):
    with record() as tape:
        scale = torch.ones(4, requires_grad=True).double()  # cause
        out = (scale * 3).sum()
        out.backward()
    return tape, out, scale


def not_leaf__grad_of_a_result(record):
    x = torch.ones(3, requires_grad=True)
    with record() as tape:
        hidden = torch.sin(x)  # cause
        loss = hidden.sum()
        loss.backward()
    return tape, loss, hidden


def replaced__update_out_of_place(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        loss = (w**2).sum()
        loss.backward()
        w = w - 0.1 * w.grad  # cause
    return tape, loss, w


def replaced__update_under_no_grad(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(2):
            loss = (w**2).sum()
            loss.backward()
            with torch.no_grad():
                w = w - 0.1 * w.grad  # cause
    return tape, loss, w


def replaced__second_turn_has_no_grad(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(2):
            loss = (w**2).sum()
            loss.backward()
            w = w - 0.1 * w.grad  # cause
    return tape, loss, w


def replaced__to_double(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        w = w.to(torch.float64)  # cause
        loss = (w * 2).sum()
        loss.backward()
    return tape, loss, w


def replaced__normalised(record):
    w = torch.randn(3, requires_grad=True)
    with record() as tape:
        w = w / w.norm()  # cause
        loss = (w * torch.arange(3.0)).sum()
        loss.backward()
    return tape, loss, w


def replaced__layer(record):
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    model.fc = nn.Linear(2, 1)
    w = model.fc.weight
    model.fc = nn.Linear(2, 1)  # cause
    with record() as tape:
        loss = model(torch.ones(3, 2)).sum()
        loss.backward()
    return tape, loss, w


def replaced__augmented(record):
    bias = torch.zeros(2, requires_grad=True)
    with record() as tape:
        out = (bias + 1).sum()
        bias = bias * 0.9  # cause
    return tape, out, bias


def left__item(record):
    w = nn.Parameter(torch.ones(2))
    scale = torch.ones((), requires_grad=True)
    with record() as tape:
        norm = (w**2).sum().item()  # cause
        loss = scale * norm
    return tape, loss, w


def left__tolist(record):
    w = nn.Parameter(torch.ones(2))
    with record() as tape:
        numbers = (w * 2).tolist()  # cause
        x = torch.tensor(numbers, requires_grad=True)
        loss = (x**2).sum()
    return tape, loss, w


def left__numpy(record):
    w = nn.Parameter(torch.ones(2))
    b = nn.Parameter(torch.ones(2))
    with record() as tape:
        array = (w * 2).detach().numpy()  # cause
        loss = (torch.from_numpy(np.sin(array)) + b).sum()
    return tape, loss, w


def left__float(record):
    w = nn.Parameter(torch.ones(2))
    b = nn.Parameter(torch.ones(2))
    with record() as tape:
        total = w.sum()
        factor = float(total)  # cause
        loss = b.sum() * math.sqrt(factor)
    return tape, loss, w


def left__torch_tensor(record):
    w = nn.Parameter(torch.ones(2))
    b = nn.Parameter(torch.ones(2))
    with record() as tape:
        mean = (w * 3).mean()
        target = torch.tensor([mean, mean])  # cause
        loss = ((b - target) ** 2).sum()
    return tape, loss, w


def left__list_of_losses(record):
    model = nn.Linear(2, 1)
    with record() as tape:
        losses = []
        for k in range(3):
            losses.append(model(torch.full((4, 2), float(k))).mean().item())  # cause
        loss = torch.tensor(losses, requires_grad=True).sum()
        loss.backward()
    return tape, loss, model.weight


def left__target_is_a_number(record):
    w = nn.Parameter(torch.ones(2))
    with record() as tape:
        loss = (w**2).sum()
        loss = loss.item()  # cause
    return tape, loss, w


def left__numpy_of_a_result_raises(record):
    w = nn.Parameter(torch.ones(2))
    with record() as tape:
        y = w * 2
        z = np.mean(y.numpy())  # cause
    return tape, z, w


def left__as_tensor(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        values = [float(v) for v in w * 2]  # cause
        x = torch.as_tensor(values)
        loss = (x * b).sum()
    return tape, loss, w


def left__int_index(record):
    logits = nn.Parameter(torch.tensor([0.1, 0.9]))
    table = nn.Parameter(torch.ones(2, 2))
    with record() as tape:
        scale = torch.softmax(logits, 0)[1].item()  # cause
        loss = (table * (1.5 * scale)).sum()
    return tape, loss, logits


def detached__plain(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = w * 3
        h = h.detach()  # cause
        loss = (h**2).sum()
    return tape, loss, w


def detached__data(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.zeros(3))
    with record() as tape:
        h = torch.exp(w).data  # cause
        loss = (h + b).sum()
    return tape, loss, w


def detached__in_forward(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(2, 2)
            self.decoder = nn.Linear(2, 1)

        def forward(self, x):
            z = torch.relu(self.encoder(x) + 3)
            z = z.detach()  # cause
            return self.decoder(z)

    model = Net()
    with record() as tape:
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
    return tape, loss, model.encoder.weight


def detached__clone(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        copy = w.detach().clone().requires_grad_(True)  # cause
        loss = (copy * 2).sum()
    return tape, loss, w


def detached__both_terms(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.zeros(1))
    with record() as tape:
        y = w.sum()
        loss = (
            b * y.detach()  # cause
        ).sum()
    return tape, loss, w


def detached__inside_a_lambda(record):
    w = nn.Parameter(torch.randn(4))
    head = nn.Linear(4, 1)
    stop = lambda t: t.detach()  # noqa: E731  # cause
    with record() as tape:
        loss = head(stop(torch.tanh(w))).sum()
        loss.backward()
    return tape, loss, w


def detached__gan_generator(record):
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    with record() as tape:
        fake = generator(torch.randn(8, 2))
        score = critic(fake.detach())  # cause
        loss = -score.mean()
        loss.backward()
    return tape, loss, generator.weight


def detached__grad_without_create_graph(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        y = (w**3).sum()
        (slope,) = torch.autograd.grad(y, w)  # cause
        penalty = (slope * b).sum()
    return tape, penalty, w


def detached__error_at_backward(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        y = torch.sigmoid(w)
        y = y.detach()  # cause
        y.sum().backward()
    return tape, y, w


def no_grad__with(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        with torch.no_grad():  # cause
            h = w * 3
        loss = (h * b).sum()
    return tape, loss, w


def no_grad__several_lines(record):
    encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
    with record() as tape:
        x = torch.ones(4, 2)
        with torch.no_grad():  # cause
            h = encoder(x)
            h = torch.relu(h)
            h = h / 2
        loss = head(h).mean()
        loss.backward()
    return tape, loss, encoder.weight


def no_grad__decorator(record):
    encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)

    @torch.no_grad()  # cause
    def features(x):
        h = encoder(x)
        return torch.tanh(h)

    with record() as tape:
        loss = head(features(torch.ones(4, 2))).mean()
        loss.backward()
    return tape, loss, encoder.weight


def no_grad__inference_mode(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        with torch.inference_mode():  # cause
            h = w * 2
        loss = (h.clone() + b).sum()
    return tape, loss, w


def no_grad__set_grad_enabled(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        torch.set_grad_enabled(False)  # cause
        h = w * 2
        torch.set_grad_enabled(True)
        loss = (h + b).sum()
    return tape, loss, w


def no_grad__decorated_forward(record):
    class Frozen(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        @torch.no_grad()  # cause
        def forward(self, x):
            return torch.relu(self.fc(x))

    body, head = Frozen(), nn.Linear(2, 1)
    with record() as tape:
        loss = head(body(torch.ones(3, 2))).sum()
        loss.backward()
    return tape, loss, body.fc.weight


def no_grad__everything_raises(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        with torch.no_grad():  # cause
            loss = (w**2).sum()
        loss.backward()
    return tape, loss, w


def no_grad__helper_below_the_decorator(record):
    w = nn.Parameter(torch.ones(3))
    b = nn.Parameter(torch.ones(3))

    def inner(t):
        return t * 4

    @torch.no_grad()  # cause
    def outer(t):
        return inner(t)

    with record() as tape:
        loss = (outer(w) * b).sum()
    return tape, loss, w


def no_slope__argmax(record):
    w = nn.Parameter(torch.tensor([1.0, 2.0]))
    b = nn.Parameter(torch.ones(()))
    with record() as tape:
        best = (w * 3).argmax()  # cause
        loss = best.float() * b
    return tape, loss, w


def no_slope__comparison(record):
    w = nn.Parameter(torch.randn(3))
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        mask = w > 0  # cause
        loss = (mask.float() * b).sum()
    return tape, loss, w


def no_slope__integer_cast(record):
    w = nn.Parameter(torch.rand(3) * 10)
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        steps = w.long()  # cause
        loss = (steps * b).sum()
    return tape, loss, w


def no_slope__accuracy_as_loss(record):
    model = nn.Linear(4, 3)
    with record() as tape:
        x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
        guess = model(x).argmax(dim=1)  # cause
        loss = 1 - (guess == y).float().mean()
        loss.backward()
    return tape, loss, model.weight


def no_slope__sampling(record):
    logits = nn.Parameter(torch.zeros(4))
    b = nn.Parameter(torch.ones(4))
    with record() as tape:
        p = torch.softmax(logits, 0)
        draw = torch.bernoulli(p).bool()  # cause
        loss = (b * draw).sum()
    return tape, loss, logits


def no_slope__to_int(record):
    w = nn.Parameter(torch.rand(3) * 10)
    b = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = (b * w.to(torch.int32)).sum()  # cause
    return tape, loss, w


def no_slope__multinomial(record):
    policy = nn.Linear(3, 4)
    value = nn.Embedding(4, 1)
    with record() as tape:
        p = torch.softmax(policy(torch.ones(1, 3)), -1)
        action = torch.multinomial(p, 1)  # cause
        loss = -value(action).sum()
        loss.backward()
    return tape, loss, policy.weight


def no_slope__embedding_of_an_argmax(record):
    scores = nn.Parameter(torch.randn(5))
    table = nn.Embedding(5, 2)
    with record() as tape:
        choice = torch.argmax(scores, dim=0)  # cause
        loss = table(choice).square().sum()
    return tape, loss, scores


def unused__never_read(record):
    w = nn.Parameter(torch.ones(2))
    b = nn.Parameter(torch.ones(2))  # cause
    with record() as tape:
        loss = (w * 2).sum()
    return tape, loss, b


def unused__result_is_dropped(record):
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    with record() as tape:
        x = torch.ones(3, 2)
        h = a(x)  # cause
        loss = b(x).sum()
        del h
    return tape, loss, a.weight


def unused__early_return(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.second = nn.Linear(2, 2)

        def forward(self, x):
            h = self.first(x)
            if h.shape[0] > 1:
                return h.sum()  # cause
            return self.second(h).sum()

    model = Net()
    with record() as tape:
        loss = model(torch.ones(3, 2))
        loss.backward()
    return tape, loss, model.second.weight


def unused__wrong_input(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(4)
            self.out = nn.Linear(4, 1)

        def forward(self, x):
            normed = self.norm(x)  # cause
            assert normed.shape == x.shape
            return self.out(x)

    model = Net()
    with record() as tape:
        loss = model(torch.randn(2, 4)).mean()
        loss.backward()
    return tape, loss, model.norm.weight


def unused__layer_not_called(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(2, 2)
            self.skip = nn.Linear(2, 2)  # cause

        def forward(self, x):
            return self.a(x)

    model = Net()
    with record() as tape:
        loss = model(torch.ones(3, 2)).sum()
        loss.backward()
    return tape, loss, model.skip.weight


def unused__metric_only(record):
    w, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3))
    with record() as tape:
        penalty = (b**2).sum()  # cause
        loss = (w * 3).sum()
        print(end=f"{float(penalty):.0f}"[:0])
    return tape, loss, b


def unused__decides_only(record):
    gate, w = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(3))
    with record() as tape:
        x = w * 2
        if gate.sum() > 0:  # cause
            x = x + 1
        loss = x.sum()
    return tape, loss, gate


def unused__overwritten_name(record):
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    with record() as tape:
        x = torch.randn(2, 3)
        h = F.relu(first(x))  # cause
        h = F.relu(second(x))
        loss = h.sum()
    return tape, loss, first.weight
