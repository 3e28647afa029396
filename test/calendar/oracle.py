"""Answers when schedules are next due, by the libraries that Healthchecks uses.

In: a line of JSON for each case, {kind, text, zone, at}, with `at` in epoch ms. Out: a line each, epoch ms or null.
"""

import json
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim
from oncalendar import OnCalendar


def answer(case):
    zone = ZoneInfo(case["zone"])
    start = datetime.fromtimestamp(case["at"] / 1000, zone)
    times = CronSim if case["kind"] == "cron" else OnCalendar
    try:
        return round(next(times(case["text"], start)).timestamp() * 1000)
    except StopIteration:
        return None
    except Exception as error:  # an expression that only the other side takes
        return f"{type(error).__name__}: {error}"


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
