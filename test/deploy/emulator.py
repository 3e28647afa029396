"""
Starts the AWS emulator with what it lacks and the service stands on: EventBridge Scheduler puts the scheduled time
into a target's input.
"""

from datetime import datetime, timezone

from ministack.app import main
from ministack.services import eventbridge

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"
invoke_target = eventbridge._invoke_target


def invoke_with_time(target, event, rule, *more):
    if event.get("Source") == "aws.scheduler" and SCHEDULED_TIME in target.get("Input", ""):
        at = datetime.fromtimestamp(event["Time"], tz=timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        target = {**target, "Input": target["Input"].replace(SCHEDULED_TIME, at)}
    return invoke_target(target, event, rule, *more)


eventbridge._invoke_target = invoke_with_time
main()
