use proptest::prelude::*;

use super::*;

/// Collects the messages of a stream; its end is `None`.
fn read_with(
    mut framer: Framer,
    stream: &[u8],
    chunk: usize,
) -> Result<Vec<Option<String>>, MessageTooLong> {
    let mut frames = Vec::new();
    for chunk in stream.chunks(chunk) {
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

/// Checks the result of reading byte by byte and in one chunk.
fn check(framer: &Framer, stream: &[u8], expected: &[Option<&str>]) {
    for chunk in [1, stream.len()] {
        let frames = read_with(framer.clone(), stream, chunk).unwrap();
        let frames: Vec<Option<&str>> = frames.iter().map(Option::as_deref).collect();
        assert_eq!(frames, expected, "{}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn cuts_out_messages() {
    for (stream, message) in [
        ("<protocol>\n  <a x='1'/> </protocol>", "<a x='1'/>"),
        (
            "<protocol><b><c>t</c>\n</b ></protocol>",
            "<b><c>t</c>\n</b >",
        ),
        ("<other a='/>'><a/></other >", "<a/>"),
        (
            "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE a>\n<!-- > --><p a = 'b'><a/></p>",
            "<a/>",
        ),
        ("<!DOCTYPE p [<!ENTITY a \"b\">]><r><a/></r>", "<a/>"),
        (
            "x<![CDATA[<]]><r>&amp;<!----> <a/> y </r>",
            "&amp;<!----> <a/>",
        ),
        (
            "<r><a x=\"/a>'<\" y='/>\"'/></r>",
            "<a x=\"/a>'<\" y='/>\"'/>",
        ),
        (
            "<r><a><!-- </a> -- <b> --><![CDATA[</a>]] ]>]]><?p </a> ? > ?></a></r>",
            "<a><!-- </a> -- <b> --><![CDATA[</a>]] ]>]]><?p </a> ? > ?></a>",
        ),
        ("<r><ä ö=\"𝄞\">🐝</ä></r>", "<ä ö=\"𝄞\">🐝</ä>"),
    ] {
        check(
            &Framer::default(),
            stream.as_bytes(),
            &[Some(message), None],
        );
    }
    check(&Framer::default(), b"<r/><a/>", &[None]);
    let latin = b"<r><a>\xff</a>";
    check(&Framer::default(), latin, &[Some("<a>\u{fffd}</a>")]);
}

#[test]
fn incomplete_messages_wait() {
    let stream = "<?xml version='1.0'?><protocol><a b='c'><!-- x --><![CDATA[y]]></a>";
    for length in 1..stream.len() {
        check(&Framer::default(), &stream.as_bytes()[..length], &[]);
    }
}

#[test]
fn malformed_messages_are_returned() {
    for (stream, message) in [
        ("<protocol></a>", "</a>"),
        ("<protocol><a></b>", "<a></b>"),
        ("<protocol><a></protocol>", "<a></protocol>"),
        ("<protocol><a><b></a>", "<a><b></a>"),
        ("<protocol>< a/>", "< a/>"),
        (" <?xml version='1.0'?>", "<?xml version='1.0'?>"),
    ] {
        check(&Framer::default(), stream.as_bytes(), &[Some(message)]);
    }
}

#[test]
fn message_length_is_limited() {
    let too_long = Err(MessageTooLong { limit: 20 });
    for (stream, expected) in [
        ("<protocol><a>3456789012345</a>", Ok(())),
        ("<protocol><a>34567890123456</a>", too_long),
        ("<protocol><a>345678901234567890", too_long),
        ("<protocol><a b='789012345678901", too_long),
        ("<protocol><!-- 67890 2345 78901", too_long),
        ("<protocol>                              <a/>", Ok(())),
    ] {
        for chunk in [1, 1000] {
            let read = read_with(Framer::new(20), stream.as_bytes(), chunk);
            assert_eq!(read.map(drop), expected, "{stream}");
        }
    }
}

#[test]
fn drops_an_element_of_any_length() {
    let deep = "<a b='c'>".repeat(1 << 16);
    for dropped in [
        "<hint/>",
        "<hint a='>'/>",
        "<hint><piece><state></piece a=><</board></hint\n>",
        "<hint></hin</hintr></</hint>",
        &format!("<hint>{deep}</hint>"),
    ] {
        let stream = format!("<protocol><m>{dropped}<n/></m>");
        let framer = Framer {
            limit: 200,
            ..Framer::with_dropped("hint")
        };
        check(&framer, stream.as_bytes(), &[Some("<m><n/></m>")]);
    }
}

#[test]
fn buffers_hold_one_message() {
    let mut framer = Framer::default();
    framer.feed(b"<protocol>");
    for _ in 0..10_000 {
        framer.feed(b"<a>0123456789</a>          ");
        while framer.next_frame().unwrap().is_some() {}
    }
    assert!(framer.input.capacity() + framer.message.capacity() < 1_000);
}

#[test]
fn errors_name_the_message() {
    let describe = |stream: &str| {
        let mut framer = Framer::default();
        framer.feed(stream.as_bytes());
        while framer.next_frame().unwrap().is_some() {}
        framer.describe(&std::io::Error::other("wrong"))
    };
    assert_eq!(
        describe("<protocol><a/><data\n/>"),
        "message 2 at byte 14: wrong, in `<data />`"
    );
    let secret = describe("<protocol><authenticate password='x'>");
    assert!(!secret.contains('x'), "{secret}");
}

proptest! {
    #[test]
    fn chunk_size_does_not_matter(
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
        for framer in [Framer::default(), Framer::with_dropped("a")] {
            let whole = read_with(framer.clone(), stream.as_bytes(), 1000);
            prop_assert_eq!(read_with(framer, stream.as_bytes(), size), whole);
        }
    }

    #[test]
    fn framer_accepts_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_with(Framer::default(), &[b"<protocol><a>", &bytes[..]].concat(), 1000);
        let _ = read_with(Framer::default(), &bytes, 1000);
    }
}
