import { usageError } from './cli-error.ts'
import { readParameters, type ParameterReaders } from './store-parameters.ts'

/** What a URL says of an S3 store, under the names of the options of `S3Storage`. */
export interface S3Place {
  readonly bucket: string
  readonly prefix?: string
  readonly endpoint?: string
  readonly region?: string
  readonly forcePathStyle?: boolean
  readonly conditionalPut?: boolean
}

const SECRET_PARAMETER = /(?:^|&)[^=&]*(?:secret|token|key|pass|user|credential)[^=&]*=/i
const EXAMPLE = 's3://bucket/prefix'

/** What each parameter of the URL sets. */
const PARAMETERS: ParameterReaders<Partial<S3Place>> = {
  endpoint: (value) => ({ endpoint: checkEndpoint(value) }),
  region: (region) => ({ region }),
  'path-style': (value) => ({ forcePathStyle: parseBoolean('path-style', value) }),
  'conditional-put': (value) => ({ conditionalPut: parseBoolean('conditional-put', value) }),
}

/**
 * Read `s3://bucket/prefix?endpoint=…&region=…&path-style=true`. A question mark in the prefix is written `%3F`, a percent
 * sign `%25`.
 *
 * Throws a {@link CliError} `usage`; it never repeats what could be a credential, which belong in the environment.
 */
export function parseS3Url(url: string): S3Place {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?]*)\/?([^?]*)\??(.*)$/is.exec(url) ?? []
  if (/[@:]/.test(bucket) || SECRET_PARAMETER.test(query)) throw credentialsRefused()
  if (bucket === '') throw usageError(`An S3 store needs a bucket: ${EXAMPLE}.`)
  const prefix = decode(path).replace(/\/+$/, '')
  return { bucket, ...(prefix === '' ? {} : { prefix }), ...readParameters(query, PARAMETERS, 'an S3 store') }
}

function checkEndpoint(value: string): string {
  const { protocol, username, password } = URL.parse(value) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:')
    throw usageError('The endpoint of an S3 store is an http: or https: URL: endpoint=https://s3.example.com.')
  if (username !== '' || password !== '') throw credentialsRefused()
  return value
}

function parseBoolean(name: string, value: string): boolean {
  if (value === 'true') return true
  if (value === 'false') return false
  throw usageError(`${name} of an S3 store is true or false.`)
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw usageError('Write %25 for a percent sign, and %3F for a question mark, in the prefix of an S3 store.', {
      cause: error,
    })
  }
}

const credentialsRefused = (): Error =>
  usageError(
    'Credentials do not belong in the URL of an S3 store, where they could be shown. Set AWS_ACCESS_KEY_ID and ' +
      'AWS_SECRET_ACCESS_KEY, or AWS_PROFILE: they are found as the AWS tools find them.',
  )
