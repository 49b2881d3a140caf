"""A real server that speaks S3, on a free loopback port in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

KEY, SECRET = "AKIATEST", "test-secret"


@dataclass(frozen=True)
class S3Server:
    """`filesystem`: of who may write."""

    endpoint: str
    filesystem: Any

    def put(self, path: str, content: bytes) -> None:
        with self.filesystem.open_output_stream(path, compression=None) as stream:
            stream.write(content)


@contextmanager
def running_s3(*buckets: str) -> Iterator[S3Server]:
    from moto.server import ThreadedMotoServer
    from pyarrow.fs import S3FileSystem

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        filesystem = S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            endpoint_override=f"{host}:{port}",
            scheme="http",
            allow_bucket_creation=True,
        )
        for bucket in buckets:
            filesystem.create_dir(bucket)
        yield S3Server(f"http://{host}:{port}", filesystem)
    finally:
        server.stop()
