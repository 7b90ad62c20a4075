"""As much of requests as the document uses, for machines that do not have it."""

import json as json_module
import urllib.error
import urllib.request


class Response:
    def __init__(self, status, body):
        self.status_code = status
        self._body = body

    def json(self):
        return json_module.loads(self._body)


def post(url, json=None):
    request = urllib.request.Request(
        url, data=json_module.dumps(json).encode(), headers={"Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request) as response:
            return Response(response.status, response.read())
    except urllib.error.HTTPError as error:
        return Response(error.code, error.read())
