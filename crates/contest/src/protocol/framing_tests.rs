use proptest::prelude::*;

use super::*;

fn read(limits: Limits, chunks: &[&[u8]]) -> Result<Vec<Option<String>>, FramingError> {
    read_with(Framer::new(limits), chunks)
}

fn read_with(mut framer: Framer, chunks: &[&[u8]]) -> Result<Vec<Option<String>>, FramingError> {
    let mut frames = Vec::new();
    for chunk in chunks {
        framer.feed(chunk);
        while let Some(frame) = framer.next_frame()? {
            frames.push(match frame {
                Frame::Message(message) => Some(message.to_owned()),
                Frame::End => None,
            });
        }
    }
    Ok(frames)
}

/// Whole and byte by byte must agree.
fn read_both_ways(stream: &[u8]) -> Result<Vec<Option<String>>, FramingError> {
    let whole = read(Limits::default(), &[stream]);
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    let single = read(Limits::default(), &bytes);
    match (&whole, &single) {
        (Ok(_), _) => assert_eq!(whole, single),
        // Messages ahead of the fault came out in both cases.
        (Err(error), _) => assert_eq!(Some(error), single.as_ref().err()),
    }
    whole
}

fn fault(stream: &str) -> (u64, String) {
    match read_both_ways(stream.as_bytes()) {
        Err(FramingError::Malformed { offset, fault }) => (offset, fault),
        other => panic!("{stream}: {other:?}"),
    }
}

fn messages(stream: &str) -> Vec<Option<String>> {
    read_both_ways(stream.as_bytes()).unwrap()
}

fn some(message: &str) -> Option<String> {
    Some(message.to_owned())
}

#[test]
fn messages_are_cut_out_with_their_own_bytes() {
    assert_eq!(
        messages("<protocol>\n  <a x='1'/> <b><c>t</c>\n</b ></protocol>"),
        [some("<a x='1'/>"), some("<b><c>t</c>\n</b >"), None]
    );
}

#[test]
fn what_xml_allows_around_messages_is_skipped() {
    let stream = "\u{feff}<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<!-- -> --> <protocol a = 'b'><!----><?x ??><a/></protocol>\n<!-- -->";
    assert_eq!(messages(stream), [some("<a/>"), None]);
}

#[test]
fn markup_inside_of_markup_is_not_taken_for_tags() {
    for message in [
        "<a x=\"/a>'/>\" y='/>\"'/>",
        "<a><!-- </a> -- - <b> --></a>",
        "<a><![CDATA[</a>]] ]> ]]]]></a>",
        "<a><?pi </a> ? > ?></a>",
    ] {
        assert_eq!(
            messages(&format!("<protocol>{message}<b/>")),
            [some(message), some("<b/>")]
        );
    }
}

#[test]
fn any_unicode_passes_split_at_any_byte() {
    let message = "<ä größe=\"𝄞 漢字 ∅ &amp;\">Ünïcödé 🐝</ä>";
    assert_eq!(messages(&format!("<protocol>{message}")), [some(message)]);
}

#[test]
fn client_streams_may_have_what_the_contest_accepts() {
    for (stream, message) in [
        (&b"<object-stream a='1'><a/></object-stream>"[..], "<a/>"),
        (b"x<![CDATA[<]]><r>&amp; <a/> y </r>", "<a/>"),
        (b"<!DOCTYPE p [<!ENTITY a \"b\">]><r><a/></r>", "<a/>"),
        (b"<r><a b='<'/></r>", "<a b='<'/>"),
        (b"<r><a>\xff</a></r>", "<a>\u{fffd}</a>"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><r><a/></r>", "<a/>"),
    ] {
        for size in [1, 1000] {
            let chunks: Vec<&[u8]> = stream.chunks(size).collect();
            let read = read_with(Framer::for_client(Limits::default()), &chunks);
            assert_eq!(read, Ok(vec![some(message), None]));
        }
    }
    for stream in [
        &b"<r></q>"[..],
        b" <?xml version='1.0'?>",
        b"<r><a <b/>",
        b"<r>< a/>",
    ] {
        let read = read_with(Framer::for_client(Limits::default()), &[stream]);
        assert!(read.is_err(), "{read:?}");
    }
}

#[test]
fn an_empty_root_is_an_end() {
    assert_eq!(messages("<protocol/>"), [None]);
    assert_eq!(messages("<protocol></protocol>"), [None]);
}

#[test]
fn incomplete_is_not_malformed() {
    let stream = "<?xml version='1.0'?><protocol><a b='c'><!-- x --><![CDATA[y]]></a>";
    for length in 0..stream.len() {
        let prefix = &stream[..length];
        assert_eq!(messages(prefix), [], "{prefix}");
    }
}

#[test]
fn faults_are_named_and_located() {
    let stray = "text outside of any message";
    let after_end = "there is more after </protocol>";
    let open = "a tag does not end before the next `<`";
    for (stream, offset, expected) in [
        ("hello", 0, stray),
        ("<protocol>x", 10, stray),
        ("<protocol>&amp;", 10, stray),
        ("<other>", 7, "the root element is <other>, not <protocol>"),
        ("</protocol>", 11, "`</protocol>` ends nothing"),
        ("<protocol></a>", 14, "`</a>` ends <protocol>"),
        ("<protocol><a></b>", 17, "`</b>` ends <a>"),
        ("<protocol><a></protocol>", 24, "`</protocol>` ends <a>"),
        ("<protocol></protocol><a/>", 25, after_end),
        ("<protocol></protocol>x", 21, after_end),
        ("<protocol>< a/>", 15, "a tag has no name"),
        (
            "<protocol><![CDATA[]]>",
            22,
            "a CDATA section outside of any message",
        ),
        ("<protocol><a b='<'>", 16, open),
        ("<protocol><a <b/>", 13, open),
        ("<protocol></ a>", 15, "`</ a>` ends <protocol>"),
    ] {
        assert_eq!(fault(stream), (offset, expected.to_owned()), "{stream}");
    }
}

#[test]
fn bytes_that_are_no_utf8_are_malformed() {
    let error = read_both_ways(b"<protocol><a b='\xff'/>").unwrap_err();
    let fault = "a message is not UTF-8".to_owned();
    assert_eq!(error, FramingError::Malformed { offset: 16, fault });
}

#[test]
fn messages_may_be_as_long_as_the_limit_and_no_longer() {
    let limits = Limits {
        message_bytes: 20,
        depth: 3,
    };
    let too_large = Err(FramingError::TooLarge { limit: 20 });
    for (stream, expected) in [
        ("<protocol><a>3456789012345</a>", Ok(())),
        ("<protocol><a>34567890123456</a>", too_large.clone()),
        ("<protocol><a>345678901234567890", too_large.clone()),
        ("<protocol><a b='789012345678901", too_large.clone()),
        ("<protocol><!-- 67890 2345 78901", too_large),
        ("<protocol>                              <a/>", Ok(())),
    ] {
        for size in [1, 1000] {
            let chunks: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
            assert_eq!(read(limits, &chunks).map(drop), expected, "{stream}");
        }
    }
}

#[test]
fn elements_may_nest_as_deep_as_the_limit_and_no_deeper() {
    let limits = Limits {
        message_bytes: 1000,
        depth: 3,
    };
    assert!(read(limits, &[b"<protocol><a><a><a/></a></a>"]).is_ok());
    for stream in ["<protocol><a><a><a><a>", "<protocol><a><a><a><a/>"] {
        assert_eq!(
            read(limits, &[stream.as_bytes()]),
            Err(FramingError::TooDeep { limit: 3 })
        );
    }
}

#[test]
fn after_an_error_nothing_else_comes_out() {
    let mut framer = Framer::new(Limits::default());
    framer.feed(b"<protocol></a>");
    let error = framer.next_frame().unwrap_err();
    framer.feed(b"<b/>");
    assert_eq!(framer.next_frame(), Err(error));
}

#[test]
fn the_buffer_holds_no_more_than_a_message_and_a_feed() {
    let mut framer = Framer::new(Limits::default());
    framer.feed(b"<protocol>");
    for _ in 0..10_000 {
        framer.feed(b"<a>0123456789</a>          ");
        while framer.next_frame().unwrap().is_some() {}
    }
    assert!(framer.buffer.capacity() < 1_000);
}

proptest! {
    #[test]
    fn no_input_makes_it_panic_and_chunking_never_matters(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<protocol>", "</protocol>", "<a>", "</a>", "<a/>", "<b x='", "' ", "\">", "<!--", "-->", "<![CDATA[", "]]>",
                "<?", "?>", "text", " ", "ä", "<", ">", "/", "=", "&", "-", "]",
            ]),
            0..40,
        ),
        size in 1_usize..9,
    ) {
        let stream = pieces.concat();
        let whole = read(Limits::default(), &[stream.as_bytes()]);
        let chunks: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
        prop_assert_eq!(read(Limits::default(), &chunks), whole);
        let client = || Framer::for_client(Limits::default());
        let whole = read_with(client(), &[stream.as_bytes()]);
        prop_assert_eq!(read_with(client(), &chunks), whole);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(Limits::default(), &[b"<protocol><a>", &bytes]);
        let _ = read(Limits::default(), &[&bytes]);
    }
}
