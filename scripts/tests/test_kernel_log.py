# SPDX-License-Identifier: Apache-2.0

import unittest

from kernel_log import judge

GOOD = "\x1b[2Jok one (0.1 s)\n  figure: tick 5 us\nok two\n== dmesg\n[ 1.0] teff_preempt: loading\n== end\n"


def problems(text):
    return judge(text)[1]


class KernelLog(unittest.TestCase):
    def test_a_good_guest(self):
        self.assertEqual(judge(GOOD), (["one (0.1 s)", "two"], [], ["tick 5 us"]))

    def test_a_failed_check_comes_with_its_reason(self):
        text = GOOD.replace("ok two", "  x.c:5: register changed\nFAILED two: see above")
        self.assertIn("two: see above; x.c:5: register changed", problems(text)[0])

    def test_a_guest_without_end(self):
        self.assertIn("did not come to its end", problems(GOOD.replace("== end", ""))[0])

    def test_an_empty_log(self):
        self.assertEqual(len(problems("")), 2)

    def test_alarms_of_the_kernel(self):
        for alarm in (
            "[ 9.1] BUG: unable to handle page fault for address: ffff",
            "[ 9.1] WARNING: CPU: 0 PID: 12 at kernel/time/hrtimer.c:1042 hrtimer_forward+0x5",
            "[ 9.1] rcu: INFO: rcu_preempt self-detected stall on CPU",
            "[ 9.1] watchdog: BUG: soft lockup - CPU#0 stuck for 26s!",
            "[ 9.1] general protection fault, probably for non-canonical address 0xdead: 0000",
            "[ 9.1] INFO: task rmmod:99 blocked for more than 120 seconds.",
            "[ 9.1]  Call Trace:",
        ):
            self.assertEqual(len(problems(GOOD.replace("== end", alarm + "\n== end"))), 1, alarm)

    def test_what_a_kernel_says_of_a_faulting_process_is_no_alarm(self):
        line = "[ 317.7] client[707]: segfault at 7f30cf07f000 ip 00007f30cf07f000 sp 00007ffdcd92bd00 error 14\n"
        self.assertEqual(problems(GOOD.replace("== end", line + "== end")), [])
