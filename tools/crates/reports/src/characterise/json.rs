// SPDX-License-Identifier: Apache-2.0
//! The study as one JSON object. docs/characterising.md defines it.

use grains::characterise::{Left, Property, Study};
use serde_json::{json, Map, Value};

use super::counters::Counted;
use super::programs::Programs;

pub fn of(programs: &Programs, study: &Study) -> String {
    let (components, stability) = (&study.components, &study.stability);
    let retained = components.retained;
    let key = |property: &Property| property.name().replace(' ', "_");
    let rows = programs.table.values.iter().zip(&programs.table.programs).enumerate();
    let described: Vec<Value> = rows
        .map(|(at, (values, name))| {
            let properties: Map<String, Value> = Property::ALL
                .iter()
                .zip(values)
                .map(|(property, value)| (key(property), json!(value)))
                .collect();
            let scores: Vec<f64> = (0..retained).map(|pc| components.scores[(at, pc)]).collect();
            json!({
                "program": name,
                "properties": properties,
                "scores": scores,
                "cluster": study.clusters.of[at] + 1,
                "counters": programs.counted[at].as_ref().map(Counted::json),
                "without_it": {
                    "congruence": stability.congruence[at],
                    "adjusted_rand": stability.rand[at],
                    "components": stability.retained[at],
                },
            })
        })
        .collect();
    let loadings: Map<String, Value> = study
        .scale
        .kept
        .iter()
        .enumerate()
        .map(|(row, property)| {
            let of = (0..retained).map(|pc| components.loadings[(row, pc)]).collect::<Vec<f64>>();
            (key(property), json!(of))
        })
        .collect();
    let left: Map<String, Value> = study
        .scale
        .left
        .iter()
        .map(|(property, why)| {
            (
                key(property),
                json!(match why {
                    Left::Missing => "missing",
                    Left::Constant => "constant",
                }),
            )
        })
        .collect();
    let merges: Vec<Value> =
        study.clusters.merges.iter().map(|merge| json!([merge.left, merge.right, merge.height])).collect();
    json!({
        "recordings": programs.recordings,
        "lengths_in": if programs.in_instructions { "instructions" } else { "ns" },
        "programs": described,
        "left_out": left,
        "variance": components.variance,
        "retained": retained,
        "loadings": loadings,
        "clusters": study.clusters.groups,
        "merges": merges,
        "error_of_prediction": stability.error,
        "adjusted_rand": { "mean": stability.mean_rand(), "least": stability.least_rand() },
    })
    .to_string()
}
