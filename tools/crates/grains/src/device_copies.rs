// SPDX-License-Identifier: Apache-2.0
//! Copies between two devices. Each is recorded as a construct of both, and a thread carries out
//! one construct at a time: so two memory routines of one thread on two devices, one of which
//! begins to send before the other has ended, are such a copy.

use trace::DeviceConstruct;

use crate::tables::DeviceInfo;

pub(crate) fn pair(all: &mut [DeviceInfo]) {
    let is_copy = |row: &u32| {
        let construct = &all[*row as usize];
        construct.construct == DeviceConstruct::Routine && construct.sent < construct.ended
    };
    let mut copies: Vec<u32> = (0..all.len() as u32).filter(is_copy).collect();
    copies.sort_by_key(|&row| (all[row as usize].worker, all[row as usize].sent));
    for at in 1..copies.len() {
        let [first, second] = [copies[at - 1], copies[at]];
        let (a, b) = (&all[first as usize], &all[second as usize]);
        let is_of_both = a.worker == b.worker && a.device != b.device && b.sent < a.ended;
        if is_of_both && a.other.is_none() {
            all[first as usize].other = Some(second);
            all[second as usize].other = Some(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::tests::construct;

    #[test]
    fn two_routines_at_a_time_are_one_copy() {
        let routine =
            |device, times| DeviceInfo { construct: DeviceConstruct::Routine, ..construct(device, times) };
        let mut all = [
            routine(0, [0, 0, 10, 20, 20, 40]),
            routine(0, [40, 40, 45, 50, 50, 60]),
            routine(0, [70, 70, 75, 80, 80, 90]),
            routine(1, [0, 5, 12, 22, 22, 41]),
            routine(1, [60, 60, 61, 65, 65, 70]),
            construct(1, [72, 72, 76, 80, 80, 88]),
        ];
        pair(&mut all);
        let others: Vec<_> = all.iter().map(|construct| construct.other).collect();
        assert_eq!(others, [Some(3), None, None, Some(0), None, None]);
    }
}
