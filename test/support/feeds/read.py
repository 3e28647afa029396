"""Reads a feed and a calendar as their readers do: prints what they contain as JSON. Input: {"atom", "ics"}."""

import json
import sys

import feedparser
from icalendar import Calendar
from lxml import etree

given = json.load(sys.stdin)
etree.fromstring(given["atom"].encode())
feed = feedparser.parse(given["atom"].encode())
calendar = Calendar.from_ical(given["ics"])
json.dump(
    {
        "bozo": bool(feed.bozo),
        "title": feed.feed.title,
        "updated": feed.feed.updated,
        "entries": [
            {"id": one.id, "title": one.title, "text": one.content[0].value, "updated": one.updated, "link": one.link}
            for one in feed.entries
        ],
        "errors": [str(error) for event in calendar.walk() for error in event.errors],
        "events": [
            {
                "uid": str(event["UID"]),
                "sequence": int(event["SEQUENCE"]),
                "from": event.decoded("DTSTART").isoformat(),
                "summary": str(event["SUMMARY"]),
            }
            for event in calendar.walk("VEVENT")
        ],
    },
    sys.stdout,
)
