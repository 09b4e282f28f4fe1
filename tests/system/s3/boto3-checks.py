"""What tools.test.ts checks with boto3, beside the program of docs/s3.md. Ends with an error at the first difference."""

import io
import os
import urllib.request

import boto3
from botocore.exceptions import ClientError

s3 = boto3.client("s3", endpoint_url=os.environ["ENDPOINT"], region_name="svc")
bucket, _, folder = os.environ["PLACE"].partition("/")
closed_bucket, _, closed_folder = os.environ["CLOSED"].partition("/")


def name(end):
    return (folder + "/checks/" + end).lstrip("/")


def read(key, **more):
    return s3.get_object(Bucket=bucket, Key=key, **more)["Body"].read()


def code_of(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "success"


def equal(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


class Unseekable(io.RawIOBase):
    """A stream of which boto3 knows nothing but its bytes."""

    def __init__(self, content):
        self.inner = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.inner.readinto(buffer)


content = os.urandom(3_000_000)
for algorithm in ["CRC32", "SHA1", "SHA256"]:
    key = name(f"{algorithm} ü+%2F&<.bin")
    s3.put_object(Bucket=bucket, Key=key, Body=io.BytesIO(content), ChecksumAlgorithm=algorithm)
    equal(read(key), content)
s3.upload_fileobj(Unseekable(content * 4), bucket, name("unseekable"))
equal(read(name("unseekable"), Range="bytes=0-9"), content[:10])
equal(s3.head_object(Bucket=bucket, Key=name("unseekable"))["ContentLength"], 12_000_000)

s3.put_object(Bucket=bucket, Key=name("said"), Body=b"x", Metadata={"colour": "blue"}, CacheControl="no-cache")
said = s3.head_object(Bucket=bucket, Key=name("said"))
# Some proxies write the names of headers with capitals.
metadata = {name.lower(): value for name, value in said["Metadata"].items()}
equal([metadata, said["CacheControl"]], [{"colour": "blue"}, "no-cache"])
equal(code_of(s3.put_object, Bucket=bucket, Key=name("said"), Body=b"y", IfNoneMatch="*"), "PreconditionFailed")
equal(read(name("said")), b"x")

link = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": name("linked")}, ExpiresIn=60)
urllib.request.urlopen(urllib.request.Request(link, data=b"sent", method="PUT"))
equal(read(name("linked")), b"sent")

closed = {"Bucket": closed_bucket, "Key": closed_folder + "/closed.txt"}
equal(code_of(s3.get_object, **closed), "AccessDenied")
equal(code_of(s3.put_object, **closed, Body=b"x"), "AccessDenied")
equal(code_of(s3.delete_object, **closed), "AccessDenied")
equal(code_of(s3.copy_object, Bucket=bucket, Key=name("stolen"), CopySource=closed), "AccessDenied")
answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": closed["Key"]}, {"Key": name("said")}]})
equal([[each["Key"], each["Code"]] for each in answer["Errors"]], [[closed["Key"], "AccessDenied"]])
equal([each["Key"] for each in answer["Deleted"]], [name("said")])
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
shown = [each["Key"] for page in pages for each in page.get("Contents", [])]
assert name("linked") in shown and closed["Key"] not in shown, shown
equal([each["Name"] for each in s3.list_buckets()["Buckets"]], [bucket])
