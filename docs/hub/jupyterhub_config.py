"""The kit on a JupyterHub: for each learner a working folder, and one for hand-ins."""

import shutil
from pathlib import Path

c = get_config()

TEACHERS = "teachers"  # a group of the machine, whose members read what is handed in
HAND_INS = Path("/srv/hand-ins")


def account(spawner):
    """The learner's account on the machine."""
    return spawner.user.name


def hand_in_folder(spawner):
    """A learner's hand-in folder, which is named like the learner."""
    return str(HAND_INS / spawner.user.name)


def make_hand_in_folder(spawner):
    """Before a server starts: its learner writes here, the teachers read."""
    HAND_INS.mkdir(exist_ok=True)
    shutil.chown(HAND_INS, "root", TEACHERS)
    HAND_INS.chmod(0o751)  # others pass through, and cannot list it
    folder = Path(hand_in_folder(spawner))
    folder.mkdir(exist_ok=True)
    shutil.chown(folder, account(spawner), TEACHERS)
    folder.chmod(0o2770)  # the 2: files in it belong to the group of the teachers


c.Spawner.pre_spawn_hook = make_hand_in_folder
c.Spawner.environment = {
    "AUTODIFF_KIT_DIR": "~/autodiff",  # the kit puts the learner's home in place of ~
    "AUTODIFF_KIT_HANDIN": hand_in_folder,
}
# What a server writes is private. Each start brings new lessons.
START = """
umask 077
autodiff-kit lab --prepare-only --dir ~/autodiff
exec jupyterhub-singleuser "$@"
"""
c.Spawner.cmd = ["/bin/sh", "-c", START, "jupyterhub-singleuser"]
c.Spawner.http_timeout = 120  # when a whole class logs in at once
