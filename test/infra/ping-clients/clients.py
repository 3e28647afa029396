"""Pings with the Python client of Healthchecks, and with requests. Reads URLs from stdin, prints the responses."""

import json
import sys

import requests
from healthchecks_io import Client

at = json.load(sys.stdin)
base, uuid, key, slug, made = at["base"], at["uuid"], at["key"], at["slug"], at["made"]
said = {}

# The package, with its base addresses and keys alone changed.
with Client(api_key="unused", ping_key=key, ping_url=base) as client:
    for name, way in (("uuid", {"uuid": uuid}), ("slug", {"slug": slug})):
        said[f"healthchecks-io start {name}"] = client.start_ping(**way)
        said[f"healthchecks-io success {name}"] = client.success_ping(**way, data="copied 3 tables")
        said[f"healthchecks-io fail {name}"] = client.fail_ping(**way, data="no space left")
        said[f"healthchecks-io exit {name}"] = client.exit_code_ping(3, **way, data="exit 3")
    for name, way in (("unknown uuid", {"uuid": at["unknown"]}), ("unknown slug", {"slug": "nothing-here"})):
        try:
            client.success_ping(**way)
        except Exception as error:
            said[f"healthchecks-io {name}"] = type(error).__name__

# As Healthchecks' page on Python has it.
said["requests get"] = (requests.get(f"{base}{uuid}", timeout=10).status_code,)
said["requests post"] = (requests.post(f"{base}{uuid}/fail", data="Traceback", timeout=10).text,)

# Same form as runitor: POST of text/plain to base/handle[/type], rid and create in the query.
session = requests.Session()
session.headers.update({"Content-Type": "text/plain", "User-Agent": "runitor/1.4.1 (+https://bdd.fi/x/runitor)"})


def runitor(handle, kind="", **params):
    answer = session.post(f"{base}{handle}{kind}", params=params, data=b"output of the job", timeout=10)
    return answer.status_code, answer.text, answer.headers["Ping-Body-Limit"]


rid = "f3f8e0a4-6d0b-4f3c-9a55-0a3f6b0f2a11"
said["runitor start"] = runitor(uuid, "/start", rid=rid)
said["runitor success"] = runitor(uuid, rid=rid)
said["runitor fail"] = runitor(uuid, "/fail", rid=rid)
said["runitor log"] = runitor(uuid, "/log", rid=rid)
said["runitor exit"] = runitor(uuid, "/7", rid=rid)
said["runitor create"] = runitor(f"{key}/{made}", "/start", rid=rid, create=1)
said["runitor created"] = runitor(f"{key}/{made}", rid=rid, create=1)
said["runitor unknown"] = runitor(at["unknown"])

print(json.dumps(said))
