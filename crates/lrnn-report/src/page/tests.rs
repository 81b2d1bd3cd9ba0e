use super::*;

#[test]
fn nothing_in_the_data_can_leave_it() {
    let hostile = "</script><script>alert(1)</script><!-- ]]> & \u{2028}\u{2029}\u{202e}\u{1b}[2J \"'\\ {{script}} {{data}}";
    let report = Report { title: hostile.to_owned(), notes: vec![hostile.to_owned()], ..Report::default() };
    let data = in_script(&json(&report).expect("JSON"));
    assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{202e}', '\u{1b}']));
    let read: serde_json::Value = serde_json::from_str(&data).expect("JSON");
    assert_eq!((read["title"].as_str(), read["notes"][0].as_str()), (Some(hostile), Some(hostile)));
}

#[test]
fn parts_are_filled_in_once() {
    let parts = [("{{a}}", "{{b}}"), ("{{b}}", "B {{a}}")];
    assert_eq!(filled("x {{a}} y {{b}} z", &parts), "x {{b}} y B {{a}} z");
}

#[test]
fn our_own_files_cannot_end_their_elements() {
    assert!(!front::STYLE.to_lowercase().contains("</style"));
    let script = front::script().to_lowercase();
    assert!(!script.contains("</script") && !script.contains("<!--"));
    for name in ["{{title}}", "{{style}}", "{{data}}", "{{script}}"] {
        assert_eq!(front::SHELL.matches(name).count(), 1, "{name}");
    }
}

#[test]
fn every_script_is_in_the_table() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("front/src");
    let mut files: Vec<String> = (folder.read_dir().expect("the scripts"))
        .map(|entry| entry.expect("a script").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".js"))
        .collect();
    files.sort();
    let mut known: Vec<&str> = front::SCRIPTS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    assert_eq!(files, known);
}

#[test]
fn the_page_loads_nothing() {
    let page = page(&Report::default()).expect("a page");
    assert_eq!(page.matches("Content-Security-Policy").count(), 1);
    assert!(page.contains("default-src 'none'"));
    for way in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(way), "{way}");
    }
}
