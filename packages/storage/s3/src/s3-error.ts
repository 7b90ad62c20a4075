import { StorageError, type StorageErrorCode } from '@spillway/core'

/** What is known of a failure. `code` is that of S3 or of the network; `words` are what the other side said. */
interface Failure {
  readonly code: string
  readonly status: number | undefined
  readonly words: string
  readonly region: string | undefined
}

interface Explanation {
  readonly code?: StorageErrorCode
  readonly retryable: boolean
  /** What it means and what to do. `BUCKET` and `REGION` stand for the bucket, and the region that it is in. */
  readonly text: string
}

const CREDENTIALS: Explanation = {
  retryable: false,
  text: 'S3 did not accept the credentials for the bucket BUCKET. Check the option "credentials", or what the AWS SDK finds in the environment.',
}
const REGION: Explanation = {
  retryable: false,
  text: 'The bucket BUCKET is in another region. Set the option "region" to REGION.',
}
const THROTTLED: Explanation = {
  retryable: true,
  text: 'S3 asks for fewer requests to the bucket BUCKET. Try again later; the option "maxAttempts" says how often that is done at once.',
}
const DENIED: Explanation = {
  retryable: false,
  text: 'S3 denies access to the bucket BUCKET. Give these credentials s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket: without the last one S3 also denies what is not there.',
}
const TIMEOUT: Explanation = {
  retryable: true,
  text: 'S3 did not answer in time for the bucket BUCKET. Try again; the options "requestTimeoutMs" and "maxAttempts" say how long that takes.',
}
const UNREACHABLE: Explanation = {
  retryable: true,
  text: 'The S3 server of the bucket BUCKET could not be reached. Try again; if it persists, check the server and the option "endpoint".',
}
const FULL: Explanation = {
  retryable: true,
  text: 'The S3 server has no room left for the bucket BUCKET. Free some space, or raise the quota.',
}
const TOO_LARGE: Explanation = {
  code: 'too-large',
  retryable: false,
  text: 'S3 does not take an object of this size into the bucket BUCKET. Store less.',
}

const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  CredentialsProviderError: CREDENTIALS,
  InvalidAccessKeyId: CREDENTIALS,
  SignatureDoesNotMatch: CREDENTIALS,
  ExpiredToken: CREDENTIALS,
  InvalidToken: CREDENTIALS,
  AccessDenied: DENIED,
  AllAccessDisabled: DENIED,
  NoSuchBucket: {
    retryable: false,
    text: 'There is no bucket BUCKET. Create it, or name another with the option "bucket".',
  },
  PermanentRedirect: REGION,
  TemporaryRedirect: REGION,
  AuthorizationHeaderMalformed: REGION,
  RequestTimeTooSkewed: {
    retryable: false,
    text: 'The clock of this machine is wrong, so that S3 refuses its requests.',
  },
  InvalidObjectState: {
    retryable: false,
    text: 'The object is archived in the bucket BUCKET. Restore it, and keep lifecycle rules from archiving what is retrieved.',
  },
  NotImplemented: {
    retryable: false,
    text: 'The S3 server of the bucket BUCKET cannot do this. If it has no conditional puts, set the option "conditionalPut" to false.',
  },
  EntityTooLarge: TOO_LARGE,
  MaxMessageLengthExceeded: TOO_LARGE,
  QuotaExceeded: FULL,
  InsufficientCapacity: FULL,
  XMinioStorageFull: FULL,
  SlowDown: THROTTLED,
  ServiceUnavailable: THROTTLED,
  RequestLimitExceeded: THROTTLED,
  TooManyRequests: THROTTLED,
  Throttling: THROTTLED,
  ThrottlingException: THROTTLED,
  RequestTimeout: TIMEOUT,
  TimeoutError: TIMEOUT,
  ETIMEDOUT: TIMEOUT,
  ESOCKETTIMEDOUT: TIMEOUT,
}

const BY_STATUS: Readonly<Record<number, Explanation>> = {
  301: REGION,
  307: REGION,
  403: DENIED,
  413: TOO_LARGE,
  429: THROTTLED,
  501: EXPLANATIONS['NotImplemented'] as Explanation,
  503: THROTTLED,
  507: FULL,
}

const MISSING_REGION: Explanation = {
  retryable: false,
  text: 'The region of the bucket BUCKET is not known. Set the option "region", or AWS_REGION in the environment.',
}

/**
 * Explain a failure of S3 or of the way there, naming the setting that mends it; anything else comes back as it is.
 *
 * The answer carries what the server said, never a signature, a key or a URL with one.
 */
export function explainS3Error(error: unknown, bucket: string): unknown {
  if (StorageError.isInstance(error)) return error
  const failure = failureOf(error)
  if (failure === undefined) return error
  const { code = 'unavailable', retryable, text } = explanationOf(failure)
  const told = text
    .replace('BUCKET', () => JSON.stringify(bucket))
    .replace('REGION', () => (failure.region === undefined ? 'that of the bucket' : JSON.stringify(failure.region)))
  return new StorageError(code, `${told} (${failure.words})`, { retryable, cause: causeOf(error, failure) })
}

function explanationOf({ code, status, words }: Failure): Explanation {
  const known = EXPLANATIONS[code] ?? (status === undefined ? undefined : BY_STATUS[status])
  if (known !== undefined) return known
  if (words.includes('Region is missing')) return MISSING_REGION
  if (status === undefined) return UNREACHABLE
  return {
    retryable: status >= 500,
    text: 'S3 could not do this in the bucket BUCKET. If it persists, check the server.',
  }
}

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, message, $metadata, Region, $response } = error as Error & {
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly Region?: unknown
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
  }
  const network = (error as { readonly code?: unknown }).code
  const code = name === 'Error' && typeof network === 'string' ? network : name
  const isOfClient = code !== 'Error' || message === 'Region is missing' || message === 'aborted'
  if ($metadata === undefined && (!isOfClient || error instanceof TypeError)) return undefined
  const status = $metadata?.httpStatusCode
  const region = typeof Region === 'string' ? Region : $response?.headers?.['x-amz-bucket-region']
  const said = message === 'UnknownError' || message === '' ? undefined : message
  const words = [status, code === 'Error' || code === 'Unknown' ? undefined : code, said]
  return { code, status, region, words: words.filter((word) => word !== undefined).join(' ') || 'no reason given' }
}

/** An answer of S3 may quote the key and what was signed: only what it was about is passed on. */
function causeOf(error: unknown, { code, status, words }: Failure): unknown {
  return status === undefined ? error : Object.assign(new Error(words), { name: code, status })
}
