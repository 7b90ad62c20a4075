import { expect, test } from 'vitest'
import { parseS3Url } from './s3-url.ts'

test.each([
  ['s3://bucket', { bucket: 'bucket' }],
  ['s3://bucket/', { bucket: 'bucket' }],
  ['S3://bucket/a/b/', { bucket: 'bucket', prefix: 'a/b' }],
  ['s3://bucket/a%20b%3F%25', { bucket: 'bucket', prefix: 'a b?%' }],
  ['s3://bucket?region=eu-west-1', { bucket: 'bucket', region: 'eu-west-1' }],
  ['s3://bucket?path-style=false', { bucket: 'bucket', forcePathStyle: false }],
  ['s3://bucket?conditional-put=false', { bucket: 'bucket', conditionalPut: false }],
  [
    's3://bucket/p?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true',
    { bucket: 'bucket', prefix: 'p', endpoint: 'http://127.0.0.1:9000', region: 'us-east-1', forcePathStyle: true },
  ],
])('reads %s', (url, place) => {
  expect(parseS3Url(url)).toEqual(place)
})

test.each([
  ['s3://', /needs a bucket/],
  ['s3:///prefix', /needs a bucket/],
  ['s3:bucket', /needs a bucket/],
  ['s3://bucket?acl=public', /unknown parameter\. Known: endpoint, region, path-style, conditional-put\./],
  ['s3://bucket?constructor=1', /unknown parameter/],
  ['s3://bucket?region=a&region=b', /given twice/],
  ['s3://bucket?region=', /must not be empty/],
  ['s3://bucket?path-style', /path-style of an S3 store must not be empty/],
  ['s3://bucket?path-style=1', /true or false/],
  ['s3://bucket?endpoint=localhost:9000', /an http: or https: URL/],
  ['s3://bucket/100%', /%25 for a percent sign/],
])('refuses %s', (url, message) => {
  expect(() => parseS3Url(url)).toThrow(message)
})

test.each([
  's3://KEY:hunter2@bucket',
  's3://KEY:hun/ter2@bucket/prefix',
  's3://bucket?secret-access-key=hunter2',
  's3://bucket?endpoint=https://KEY:hunter2@host',
])('refuses credentials, and does not repeat them: %s', (url) => {
  expect(() => parseS3Url(url)).toThrow(/^Credentials do not belong in the URL .*AWS_ACCESS_KEY_ID/)
  expect(() => parseS3Url(url)).not.toThrow(/hun|KEY:/)
})
