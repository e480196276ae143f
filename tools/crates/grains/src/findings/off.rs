// SPDX-License-Identifier: Apache-2.0
//! What all findings about time off the processors have in common.

use crate::findings::finding::{Finding, DESCHEDULED};
use crate::findings::subject::Subject;
use crate::units::several;

/// `lost` ns are lost, and all threads have their part of that.
pub(crate) fn descheduled(subject: &Subject, lost: f64) -> Finding {
    let workers = f64::from(subject.budget.workers);
    Finding {
        rule: DESCHEDULED,
        title: String::new(),
        place: None,
        region: None,
        when: None,
        lost_ns: lost,
        gain_ns: lost / workers,
        evidence: Vec::new(),
        remedy: String::new(),
        estimate: format!("this time, divided among its {}", several(workers as u64, "thread")),
    }
}
