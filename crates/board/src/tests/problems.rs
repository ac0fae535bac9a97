//! Tests of errors, their texts and the limits of requests.

use serde_json::{Value, json};

use super::{Page, line};
use crate::protocol::RequestMessage;

#[test]
fn problems_name_the_error() {
    let mut page = Page::open();
    let show = |line: Value| ("show", json!({ "line": line }));
    let open = |source: Value| ("open", json!({ "source": source }));
    let edit = |game: &str, stacks: Value| {
        let setup = json!({ "stacks": stacks });
        ("edit", json!({"game": game, "setup": setup}))
    };
    let illegal = line("Base", &["wA1", "wA2"]);
    let export = json!({"line": line("Base", &[]), "form": "fen"});
    let search = json!({"line": illegal, "effort": {"nodes": 1}});
    let apart = json!([{"at": [0, 0], "pieces": [[0, "A"]]}, {"at": [3, 0], "pieces": [[1, "A"]]}]);
    let no_start = json!({"game": "Base", "start": "x", "moves": []});
    let long = json!({"line": line("Base", &["wA1"; 4_001])});
    for ((ask, mut request), part) in [
        (("new", json!({"game": "chess"})), r#""chess""#),
        (show(illegal), "wA2"),
        (show(no_start), "four fields"),
        (open(long), "too_many_plies"),
        (open(json!({"text": "hello"})), "not_a_recording"),
        (open(json!({"base64": "%"})), "invalid_request"),
        (open(json!({"text": ""})), "empty_file"),
        (("export", export), "unknown format"),
        (("search", search), "wA2"),
        (
            edit("Base", json!([{"at": [0, 0], "pieces": [[0, "M"]]}])),
            "unknown piece M",
        ),
        (
            edit("Base", json!([{"at": [0, 0], "pieces": [[2, "A"]]}])),
            "side 2",
        ),
        (
            edit("contest", json!([{"at": [9, 9], "pieces": [[0, "A"]]}])),
            "not_a_field",
        ),
        (edit("contest", apart), "disconnected"),
    ] {
        request["ask"] = ask.into();
        request["id"] = 1.into();
        let reply = page.ask(request);
        assert_eq!(reply["is"], "problem", "{reply}");
        assert!(reply["problem"].to_string().contains(part), "{reply}");
    }
}

/// All codes with the names of their parameters, as serde lists them in its errors.
fn problems() -> Vec<(String, Vec<String>)> {
    let error = |sample: &Value| {
        let parsed = serde_json::from_value::<crate::protocol::Problem>(sample.clone());
        parsed.err().map(|error| error.to_string())
    };
    let quoted = |text: &str| text.split('`').nth(1).unwrap().to_owned();
    let unknown = error(&json!({"code": ""})).unwrap();
    let codes = unknown.split('`').skip(3).step_by(2);
    let with_fields = codes.map(|code| {
        let mut sample = json!({ "code": code });
        let mut fields: Vec<String> = Vec::new();
        let mut values = [json!("text"), json!(1), json!({"code": "pinned"})]
            .into_iter()
            .cycle();
        while let Some(error) = error(&sample) {
            if error.starts_with("missing field") {
                fields.push(quoted(&error));
            }
            sample[fields.last().unwrap()] = values.next().unwrap();
        }
        (code.to_owned(), fields)
    });
    with_fields.collect()
}

#[test]
fn every_problem_has_texts_in_all_languages() {
    let problems = problems();
    assert!(problems.len() > 80, "{}", problems.len());
    for language in ["en", "de"] {
        let path = format!("texts/{language}.js");
        let texts = crate::assets::Asset::at(&path).unwrap().content;
        let start = "  'problem.";
        let mut lines = texts
            .lines()
            .filter_map(|line| line.strip_prefix(start)?.split_once("': "));
        for (code, fields) in &problems {
            let (_, text) = lines
                .clone()
                .find(|(name, _)| name == code)
                .unwrap_or_else(|| {
                    panic!("{path}: no text for {code}");
                });
            let mut used: Vec<&str> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split('}').next())
                .collect();
            let mut expected: Vec<&str> = fields
                .iter()
                .map(String::as_str)
                .filter(|field| *field != "detail")
                .collect();
            used.sort_unstable();
            expected.sort_unstable();
            assert_eq!(used, expected, "{path}: parameters of {code}");
        }
        let unused = lines.find(|(name, _)| !problems.iter().any(|(code, _)| code == name));
        assert_eq!(unused, None, "{path}: text without a problem");
    }
}

/// The answer to an invalid request.
fn error_of(json: &str) -> Value {
    serde_json::to_value(RequestMessage::from_json(json).unwrap_err()).unwrap()
}

/// A page waits for an answer to each of its requests.
#[test]
fn answers_to_invalid_requests_have_ids() {
    for (json, id) in [
        (r#"{"ask": "wait", "id": 7}"#, json!(7)),
        (r#"{"id": 7}"#, json!(7)),
        (r#"{"ask": "show", "id": 7, "line": 3}"#, json!(7)),
        (r#"{"ask": "open", "id": 7}"#, json!(7)),
        (r#"{"ask": "show"}"#, Value::Null),
        ("{", Value::Null),
    ] {
        let error = error_of(json);
        assert_eq!((&error["is"], &error["id"]), (&json!("problem"), &id));
    }
}

#[test]
fn from_json_rejects_unknown_fields() {
    let error = |json: &str| error_of(json)["problem"].to_string();
    assert!(error(r#"{"ask": "new", "id": 1, "game": "Base", "sed": 7}"#).contains("`sed`"));
    let unknown = r#"{"ask": "search", "id": 1, "line": {"game": "Base", "moves": []}, "effort": {}, "x": 1}"#;
    assert!(error(unknown).contains("`x`"));
    assert!(error(r#"{"ask": "watch"}"#).contains("`id`"));
    assert!(error(r#"{"ask": "watch", "id": 1, "x": 2}"#).contains("`x`"));
    assert!(error(r#"{"ask": "wait", "id": 1}"#).contains("`wait`"));
    assert!(RequestMessage::from_json(r#"{"ask": "stop"}"#).is_ok());
    assert_eq!(
        RequestMessage::from_json(r#"{"ask": "stop", "id": 3}"#)
            .unwrap()
            .id,
        Some(3)
    );
}

#[test]
fn from_json_limits_length_by_kind() {
    let tree = |ask: &str| {
        format!(
            "{{\"id\": 1, \"ask\": \"{ask}\", \"x\": [{}0]}}",
            "[0],".repeat(100_000)
        )
    };
    for ask in ["watch", "show"] {
        let error = error_of(&tree(ask));
        let problem = json!({"code": "message_too_long", "max_kib": 256});
        assert_eq!(error["problem"], problem, "{error}");
        assert_eq!(error["id"], 1);
    }
    // Unknown fields are rejected before their values are parsed.
    let error = error_of(&tree("open"));
    let detail = error["problem"]["detail"].as_str().unwrap();
    assert!(detail.contains("unknown field `x`"), "{error}");
    assert_eq!(error["id"], 1);
}
