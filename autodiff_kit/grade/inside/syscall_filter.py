"""The system calls that a sandbox refuses: a seccomp filter, as a BPF program for the kernel.

Each instruction is eight bytes: code, two relative jumps, and a constant. The program inspects the number of the call
and one argument; see seccomp(2) and the kernel's ``seccomp_filter`` documentation.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

__all__ = ["filter_program", "install_filter"]

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Call numbers on the two architectures; -1 if the call does not exist there. The comments name the purpose of the
# calls.
REFUSED_CALLS = {
    # reading other processes, or taking their files
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    # other views of the file system
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "listmount": (458, 458), "statmount": (457, 457), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    # memory that is not counted for any process
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmctl": (31, 195),
    "shmat": (30, 196), "shmdt": (67, 197), "semget": (64, 190), "semctl": (66, 191), "semtimedop": (220, 192),
    "semop": (65, 193), "msgget": (68, 186), "msgctl": (71, 187), "msgrcv": (70, 188), "msgsnd": (69, 189),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183), "mq_notify": (244, 184),
    # what the machine or the user who grades has a few of, and locks on files that others read
    "io_setup": (206, 0), "io_destroy": (207, 1), "io_getevents": (208, 4), "io_submit": (209, 2),
    "io_cancel": (210, 3), "io_pgetevents": (333, 292), "inotify_init": (253, -1), "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27), "flock": (73, 32),
    # large parts of the kernel that notebooks do not need
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "personality": (135, 92), "modify_ldt": (154, -1), "iopl": (172, -1), "ioperm": (173, -1),
    "syslog": (103, 116), "lookup_dcookie": (212, 18), "vhangup": (153, 58), "mbind": (237, 235),
    "move_pages": (279, 239), "migrate_pages": (256, 238),
    # the machine itself
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "reboot": (169, 142), "clock_settime": (227, 112), "settimeofday": (164, 170),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162),
}  # fmt: skip
CLONE, CLONE3, SOCKET, IOCTL = (56, 220), (435, 435), (41, 198), (16, 29)
MMAP, SIGACTION = (9, 222), (13, 134)

CLONE_NEW_FLAGS = 0x7E020080  # every CLONE_NEW... flag
AF_UNIX = 1
SIGCHLD = 17
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
TERMINAL_REQUESTS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX insert input into a terminal

LOAD, IF_EQUAL, IF_GREATER_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# In struct seccomp_data.
NUMBER_OFFSET, ARCHITECTURE_OFFSET, FIRST_ARGUMENT_OFFSET, SECOND_ARGUMENT_OFFSET, FOURTH_ARGUMENT_OFFSET = (
    0, 4, 16, 24, 40,
)  # fmt: skip


def _instruction(code: int, constant: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_so, if_not, constant)


ALLOW, KILL = _instruction(RETURN, 0x7FFF0000), _instruction(RETURN, 0x80000000)
DENY, NOT_IMPLEMENTED = _instruction(RETURN, 0x00050000 | errno.EPERM), _instruction(RETURN, 0x00050000 | errno.ENOSYS)


def filter_program(machine: str) -> bytes:
    """The filter for a machine's architecture.

    Parameters
    ----------
    machine : str
        As ``os.uname().machine`` names it: x86_64 or aarch64.

    Returns
    -------
    bytes
        Eight bytes for each instruction.

    Raises
    ------
    LookupError
        If the call numbers of that architecture are not known.
    """
    if machine not in ARCHITECTURES:
        raise LookupError(f"the system calls of {machine} are unknown; supported are x86_64 and aarch64")
    column = list(ARCHITECTURES).index(machine)
    instructions = [
        _instruction(LOAD, ARCHITECTURE_OFFSET),
        _instruction(IF_EQUAL, ARCHITECTURES[machine], 1, 0),
        KILL,
        _instruction(LOAD, NUMBER_OFFSET),
    ]
    if machine == "x86_64":  # the x32 ABI reaches the same calls through numbers from 2**30
        instructions += [_instruction(IF_GREATER_EQUAL, 0x40000000, 0, 1), KILL]
    for numbers in REFUSED_CALLS.values():
        if numbers[column] >= 0:
            instructions += _for_call(numbers[column], DENY)
    # If clone3 is not implemented, C libraries fall back to clone, whose flags a filter can inspect.
    instructions += _for_call(CLONE3[column], NOT_IMPLEMENTED)
    instructions += _for_call(
        CLONE[column],
        _instruction(LOAD, FIRST_ARGUMENT_OFFSET),
        _instruction(IF_ANY_BIT, CLONE_NEW_FLAGS, 0, 1),
        DENY,
        ALLOW,
    )
    instructions += _for_call(
        SOCKET[column], _instruction(LOAD, FIRST_ARGUMENT_OFFSET), _instruction(IF_EQUAL, AF_UNIX, 1, 0), DENY, ALLOW
    )
    first, second = (
        _instruction(IF_EQUAL, request, *jumps)
        for request, jumps in zip(TERMINAL_REQUESTS, ((1, 0), (0, 1)), strict=True)
    )
    instructions += _for_call(IOCTL[column], _instruction(LOAD, SECOND_ARGUMENT_OFFSET), first, second, DENY, ALLOW)
    # Shared memory without a file is in nobody's resident memory once it is given back with MADV_DONTNEED.
    instructions += _for_call(
        MMAP[column],
        _instruction(LOAD, FOURTH_ARGUMENT_OFFSET),
        _instruction(IF_ANY_BIT, MAP_SHARED, 1, 0),
        ALLOW,
        _instruction(IF_ANY_BIT, MAP_ANONYMOUS, 0, 1),
        DENY,
        ALLOW,
    )
    # The kernel forgets the processor time of children whose end is ignored.
    instructions += _for_call(
        SIGACTION[column],
        _instruction(LOAD, FIRST_ARGUMENT_OFFSET),
        _instruction(IF_EQUAL, SIGCHLD, 0, 1),
        DENY,
        ALLOW,
    )
    return b"".join([*instructions, ALLOW])


def install_filter() -> None:
    """Install the filter for this process and its children; it cannot be removed."""
    code = filter_program(os.uname().machine)
    held = ctypes.create_string_buffer(code, len(code))
    about = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_rights, seccomp, filter_mode = 38, 22, 2
    for request in ((no_new_rights, 1, 0, 0, 0), (seccomp, filter_mode, about, 0, 0)):
        if libc.prctl(*(ctypes.c_ulong(item) if isinstance(item, int) else item for item in request)) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"the kernel refused the filter of system calls: {os.strerror(number)}")


def _for_call(number: int, *body: bytes) -> list[bytes]:
    """Instructions that run ``body`` for one call number, and skip it for all others."""
    return [_instruction(IF_EQUAL, number, 0, len(body)), *body]
