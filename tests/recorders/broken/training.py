"""Programs whose gradient is right and whose training is not: sums of passes, optimizers, loops, errors of the graph."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def _data(n=8, m=3):
    return torch.randn(n, m), torch.randn(n, 1)


def accumulated__no_zero_grad(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        for _ in range(2):
            loss = F.mse_loss(model(x), y)
            loss.backward()  # cause
            optimizer.step()
    return tape, loss, model.weight


def accumulated__same_loss_twice(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = (w**2).sum()
        loss.backward(retain_graph=True)
        loss.backward()  # cause
    return tape, loss, w


def accumulated__manual_descent(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(3):
            loss = (w**2).sum()
            loss.backward()  # cause
            with torch.no_grad():
                w -= 0.1 * w.grad
    return tape, loss, w


def accumulated__left_from_before(record):
    w = nn.Parameter(torch.ones(3))
    (w * 3).sum().backward()
    with record() as tape:
        loss = (w**2).sum()
        loss.backward()  # cause
    return tape, loss, w


def accumulated__two_losses_without_optimizer(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        (w * 5).sum().backward()
        loss = (w**2).sum()
        loss.backward()  # cause
    return tape, loss, w


def accumulated__zeroes_the_wrong_optimizer(record):
    a, b = nn.Linear(2, 2), nn.Linear(2, 1)
    first, second = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)
    x = torch.randn(5, 2)
    with record() as tape:
        for _ in range(2):
            second.zero_grad()
            loss = b(a(x)).square().mean()
            loss.backward()  # cause
            first.step()
            second.step()
    return tape, loss, a.weight


def accumulated__stale_step_by_step(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = _data()
    for _ in range(2):
        with record() as tape:
            loss = F.mse_loss(model(x), y)
            loss.backward()  # cause
            optimizer.step()
    return tape, loss, model.weight


def optimizer__not_in_it(record):
    body, head = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)  # cause
    x, y = _data()
    with record() as tape:
        loss = F.mse_loss(head(torch.tanh(body(x))), y)
        loss.backward()
        optimizer.step()
    return tape, loss, body.weight


def optimizer__given_and_not_in_it(record):
    w, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([w])  # cause
    with record(optimizer=optimizer) as tape:
        loss = (w.sum() + b).pow(2).sum()
        loss.backward()
    return tape, loss, b


def optimizer__made_in_the_block(record):
    w, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(1))
    with record() as tape:
        optimizer = torch.optim.SGD([w], lr=0.1)  # cause
        optimizer.zero_grad()
        loss = (w.sum() + b).pow(2).sum()
        loss.backward()
        optimizer.step()
    return tape, loss, b


def optimizer__made_before_the_layer(record):
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    model.fc = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.fc = nn.Linear(3, 1)  # cause
    x, y = _data()
    with record() as tape:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return tape, loss, model.fc.weight


def optimizer__learning_rate_zero(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)  # cause
    x, y = _data()
    with record() as tape:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return tape, loss, model.weight


def optimizer__group_with_rate_zero(record):
    a, b = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = torch.optim.Adam([{"params": a.parameters(), "lr": 0.0}, {"params": b.parameters()}])  # cause
    x, y = _data()
    with record() as tape:
        loss = F.mse_loss(b(a(x)), y)
        loss.backward()
        optimizer.step()
    return tape, loss, a.weight


def optimizer__step_before_backward(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        optimizer.step()  # cause
        loss.backward()
    return tape, loss, model.weight


def optimizer__cleared_before_the_step(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.zero_grad()  # cause
        optimizer.step()
    return tape, loss, model.weight


def optimizer__cleared_by_the_model(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        for _ in range(2):
            loss = F.mse_loss(model(x), y)
            loss.backward()
            model.zero_grad()  # cause
            optimizer.step()
    return tape, loss, model.weight


def optimizer__plain_list_of_layers(record):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(3, 3) for _ in range(2)]  # cause
            self.out = nn.Linear(3, 1)

        def forward(self, x):
            for layer in self.layers:
                x = torch.tanh(layer(x))
            return self.out(x)

    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return tape, loss, model.layers[0].weight


def optimizer__forgot_the_bias(record):
    w = torch.randn(3, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    x, y = _data()
    with record() as tape:
        optimizer = torch.optim.SGD([w], lr=0.1)  # cause
        for _ in range(2):
            optimizer.zero_grad()
            loss = F.mse_loss(x @ w + b, y)
            loss.backward()
            optimizer.step()
    return tape, loss, b


def inplace_error__sigmoid(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        s = torch.sigmoid(w)
        s += 1  # cause
        s.sum().backward()
    return tape, s, w


def inplace_error__exp_of_a_slice(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        y = torch.exp(w)
        y[0] = 0.0  # cause
        loss = y.sum()
        loss.backward()
    return tape, loss, w


def inplace_error__leaf(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        w += 1  # cause
        loss = w.sum()
        loss.backward()
    return tape, loss, w


def inplace_error__input_of_a_product(record):
    w, x = nn.Parameter(torch.ones(3)), torch.ones(3)
    with record() as tape:
        y = w * x
        x.mul_(2)  # cause
        y.sum().backward()
    return tape, y, w


def inplace_error__tanh_then_relu(record):
    layer = nn.Linear(3, 3)
    with record() as tape:
        h = torch.tanh(layer(torch.randn(2, 3)))
        F.relu(h, inplace=True)  # cause
        h.sum().backward()
    return tape, h, layer.weight


def inplace_error__step_between_passes(record):
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _data()
    with record() as tape:
        loss = F.mse_loss(model(x), y)
        loss.backward(retain_graph=True)
        optimizer.step()  # cause
        loss.backward()
    return tape, loss, model[0].weight


def inplace_error__leaf_slice(record):
    table = nn.Parameter(torch.zeros(4, 2))
    with record() as tape:
        table[0] = torch.ones(2)  # cause
        table.sum().backward()
    return tape, table, table


def inplace_error__buffer_in_a_loop(record):
    w = nn.Parameter(torch.ones(2, 2))
    with record() as tape:
        state = torch.ones(2)
        total = torch.zeros(())
        for _ in range(2):
            total = total + (w @ state).sum()
            state.add_(1)  # cause
        total.backward()
    return tape, total, w


def inplace_error__sqrt(record):
    w = nn.Parameter(torch.full((3,), 4.0))
    with record() as tape:
        root = w.sqrt()
        root.add_(1)  # cause
        root.sum().backward()
    return tape, root, w


def second_backward_error__twice(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = (w**2).sum()
        loss.backward()
        loss.backward()  # cause
    return tape, loss, w


def second_backward_error__two_losses(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = torch.exp(w)
        one, two = (h * 2).sum(), (h**2).sum()
        one.backward()
        two.backward()  # cause
    return tape, two, w


def second_backward_error__hoisted_out_of_the_loop(record):
    w = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([w], lr=0.1)
    with record() as tape:
        loss = torch.sin(w).sum()
        for _ in range(2):
            optimizer.zero_grad()
            loss.backward()  # cause
    return tape, loss, w


def second_backward_error__grad_and_backward(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = (w**3).sum()
        torch.autograd.grad(loss, w)
        loss.backward()  # cause
    return tape, loss, w


def second_backward_error__each_term(record):
    model = nn.Linear(2, 2)
    with record() as tape:
        out = torch.tanh(model(torch.ones(1, 2)))
        for term in out[0]:
            term.backward()  # cause
    return tape, out, model.weight


def loop_state__kept_hidden_state(record):
    cell = nn.RNNCell(2, 3)
    h = torch.zeros(1, 3)
    with record() as tape:
        for _ in range(2):
            h = cell(torch.ones(1, 2), h)  # cause
            loss = h.sum()
            loss.backward()
    return tape, loss, cell.weight_hh


def loop_state__kept_lstm_state(record):
    lstm, head = nn.LSTM(2, 3), nn.Linear(3, 1)
    state = None
    with record() as tape:
        for _ in range(3):
            out, state = lstm(torch.randn(4, 1, 2), state)  # cause
            loss = head(out).mean()
            loss.backward()
    return tape, loss, lstm.weight_hh_l0


def loop_state__running_average_kept(record):
    w = nn.Parameter(torch.ones(3))
    average = torch.zeros(3)
    with record() as tape:
        for _ in range(2):
            y = w * 2
            average = 0.9 * average + torch.tanh(y)  # cause
            loss = average.sum()
            loss.backward()
    return tape, loss, w


def loop_state__detached_each_step(record):
    cell = nn.RNNCell(2, 3)
    start = nn.Parameter(torch.zeros(1, 3))
    with record() as tape:
        h = start
        for _ in range(4):
            h = cell(torch.ones(1, 2), h)
            h = h.detach()  # cause
        loss = cell(torch.ones(1, 2), h).sum()
        loss.backward()
    return tape, loss, start


def loop_state__cut_sequence(record):
    cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)
    with record() as tape:
        h = torch.zeros(1, 3)
        loss = torch.zeros(())
        for x in torch.randn(5, 1, 2):
            h = cell(x, h.detach())  # cause
            loss = loss + head(h).square().sum()
        loss.backward()
    return tape, loss, cell.weight_hh
