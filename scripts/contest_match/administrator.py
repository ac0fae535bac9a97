"""An administrator's connection in the contest's protocol."""

import collections
import re
import select
import socket
import time
import xml.etree.ElementTree as xml

from .errors import ConnectionLost
from .time_factor import TIME_FACTOR

GAME_TYPE = "swc_2020_hive"

FORBIDDEN = re.compile(rb"&#x(?:[0-8bcef]|1[0-9a-f]|fff[ef]);")
"""References to characters that XML forbids. The server forwards them in players' hints."""

Message = collections.namedtuple("Message", "arrival element")
"""A child of the stream's root element, and time.monotonic() when its last bytes arrived."""


class Administrator:
    """An authenticated connection that prepares, observes and cancels rooms."""

    def __init__(self, address, password):
        self._socket = socket.create_connection(address, timeout=10 * TIME_FACTOR)
        if self._socket.getsockname() == self._socket.getpeername():
            # TCP self-connect: without a listener, a local port may connect to itself.
            self._socket.close()
            raise ConnectionRefusedError(f"no server on {address}")
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._parser = xml.XMLPullParser(events=("start", "end"))
        self._unread = b""
        self._open_elements = []
        self._messages = collections.deque()
        self._send_text("<protocol>")
        authenticate = xml.Element("authenticate", password=password)
        self._send(authenticate)

    def close(self):
        self._socket.close()

    def prepare(self, names):
        """Requests a room for two players with these display names, red first."""
        request = xml.Element("prepare", gameType=GAME_TYPE)
        for name in names:
            slot = {"displayName": name, "canTimeout": "true", "shouldBePaused": "false"}
            xml.SubElement(request, "slot", slot)
        self._send(request)

    def observe(self, room):
        self._send(xml.Element("observe", roomId=room))

    def cancel(self, room):
        self._send(xml.Element("cancel", roomId=room))

    def next_message(self, timeout):
        """Returns the next message, or None after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        while not self._messages:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                return None
            self._receive()
        return self._messages.popleft()

    def _receive(self):
        try:
            received = self._socket.recv(65536)
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        arrival = time.monotonic()
        if not received:
            raise ConnectionLost("the server closed the administrator's connection")
        try:
            received = self._unread + received
            # A chunk may end within a character reference.
            end = received.rfind(b"&", -8)
            end = len(received) if end < 0 or b";" in received[end:] else end
            self._unread = received[end:]
            self._parser.feed(FORBIDDEN.sub(b"?", received[:end]))
            for event, element in self._parser.read_events():
                self._handle(event, element, arrival)
        except xml.ParseError as error:
            raise ConnectionLost(f"the server sent invalid XML: {error}") from error

    def _handle(self, event, element, arrival):
        if event == "start":
            self._open_elements.append(element)
            return
        self._open_elements.pop()
        if len(self._open_elements) == 1:
            self._messages.append(Message(arrival, element))
            # Otherwise the document would grow as long as the connection lasts.
            self._open_elements[0].remove(element)

    def _send(self, element):
        self._send_text(xml.tostring(element, encoding="unicode"))

    def _send_text(self, text):
        try:
            self._socket.sendall(text.encode())
        except OSError as error:
            raise ConnectionLost(str(error)) from error
