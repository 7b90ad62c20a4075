import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { StorageError, type StorageErrorCode } from '@spillway/core/driver'
import type { S3ConnectionOptions } from './s3-storage-options.ts'

const MAX_SOCKETS = 64
/** Region for servers other than AWS. Most servers accept any region, but clients must name a region. */
const ANY_REGION = 'us-east-1'

/** Creates the client on first use. A client of the caller is never closed. */
export class S3Connection {
  readonly #options: S3ConnectionOptions
  /** Slots for requests. Without slots, a request that waits for a free socket would count as a failed connection. */
  readonly #slots = new Slots(MAX_SOCKETS)
  #own: S3Client | undefined
  /** Address of the server for AWS CLI commands. `undefined` for AWS itself, and before first use. */
  endpoint: string | undefined

  constructor(options: S3ConnectionOptions) {
    this.#options = options
    this.endpoint = options.endpoint
  }

  get bucket(): string {
    return this.#options.bucket
  }

  async maxAttempts(): Promise<number> {
    return (await this.#options.client?.config.maxAttempts()) ?? this.#options.maxAttempts
  }

  async use<Result>(run: (client: S3Client) => Promise<Result>): Promise<Result> {
    const { client } = this.#options
    try {
      if (client === undefined) return await this.#slots.run(() => run((this.#own ??= new S3Client(this.#config()))))
      const result = await run(client)
      this.endpoint ??= await endpointOf(client)
      return result
    } catch (error) {
      throw this.explained(error)
    }
  }

  explained(error: unknown): unknown {
    return explainS3Error(error, this.#options)
  }

  /** The next use creates a new client. */
  close(): void {
    this.#own?.destroy()
    this.#own = undefined
  }

  #config(): S3ClientConfig {
    const { region, endpoint, credentials, forcePathStyle, requestTimeoutMs, maxAttempts, checksums } = this.#options
    const checksum = checksums === 'when-required' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED'
    const named = region ?? (endpoint === undefined ? undefined : (process.env['AWS_REGION'] ?? ANY_REGION))
    return {
      ...(named === undefined ? {} : { region: named }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      ...((forcePathStyle ?? endpoint !== undefined) ? { forcePathStyle: true } : {}),
      maxAttempts,
      retryMode: 'standard',
      requestChecksumCalculation: checksum,
      responseChecksumValidation: checksum,
      // The header would cost a connection for each large upload. An earlier small request checks permissions.
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: requestTimeoutMs,
        socketTimeout: requestTimeoutMs,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    }
  }
}

async function endpointOf(client: S3Client): Promise<string | undefined> {
  const endpoint = await client.config.endpoint?.()
  if (endpoint === undefined) return undefined
  const { protocol, hostname, port } = endpoint
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
}

const ARN = /"arn:aws[^"]*"|\barn:aws\S*/g

/** `code` comes from S3 or the network. `words` has the code and the message. */
interface Failure {
  readonly code: string
  readonly status: number | undefined
  readonly said: string | undefined
  readonly words: string
  readonly region: string | undefined
}

interface Explanation {
  /** Codes of S3 or of the network, and statuses of HTTP for errors with an unknown code. */
  readonly of?: readonly (string | number)[]
  /** Matches messages of the client about wrong settings. These errors have no codes. */
  readonly said?: RegExp
  readonly code?: StorageErrorCode
  /** Defaults to `false`. */
  readonly retryable?: boolean
  /** Text in which `BUCKET` and `REGION` are replaced by the bucket and its region. */
  readonly text: string
}

const UNREACHABLE: Explanation = {
  retryable: true,
  text: 'The S3 server of the bucket BUCKET could not be reached. Try again; if it persists, check the server and the option "endpoint".',
}
const NOT_FOUND: Explanation = {
  retryable: true,
  text: 'There is no S3 server by the name that was looked up for the bucket BUCKET. Check the options "region" and "bucket", and try again once this machine can resolve names.',
}

const EXPLANATIONS: readonly Explanation[] = [
  {
    of: ['CredentialsProviderError', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken'],
    text: 'S3 did not accept the credentials for the bucket BUCKET. Check the option "credentials", or what the AWS SDK finds in the environment.',
  },
  {
    of: ['AccessDenied', 'AllAccessDisabled', 403],
    text: 'S3 denies access to the bucket BUCKET. Give these credentials s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket. Without s3:ListBucket, S3 also denies access to missing objects.',
  },
  {
    of: ['NoSuchBucket'],
    text: 'There is no bucket BUCKET. Create it, or name another with the option "bucket".',
  },
  {
    // Code of the client for a 404 without an S3 code.
    of: ['NotFound'],
    retryable: true,
    text: 'The server that answered for the bucket BUCKET is not an S3 server. Try again; if it persists, check the server, proxies before it, and the option "endpoint".',
  },
  {
    of: ['InvalidBucketName'],
    said: /^(?:Invalid ARN|Path-style addressing cannot be used with ARN)\b/,
    text: 'BUCKET cannot be the name of a bucket. Set the option "bucket" to the name alone, or to the ARN of an access point.',
  },
  {
    of: ['PermanentRedirect', 'TemporaryRedirect', 'AuthorizationHeaderMalformed', 301, 307],
    text: 'The bucket BUCKET is in another region. Set the option "region" to REGION.',
  },
  {
    of: ['RequestTimeTooSkewed'],
    text: 'S3 refuses the requests of this machine, whose clock is wrong. Set the clock.',
  },
  {
    of: ['InvalidObjectState'],
    text: 'The object is archived in the bucket BUCKET. Restore it, and keep lifecycle rules from archiving objects that are retrieved.',
  },
  {
    of: ['NotImplemented', 501],
    text: 'The S3 server of the bucket BUCKET cannot do this. If it has no conditional puts, set the option "conditionalPut" to false.',
  },
  {
    of: ['EntityTooLarge', 'MaxMessageLengthExceeded', 413],
    code: 'too-large',
    text: 'S3 does not accept an object of this size in the bucket BUCKET. Store less.',
  },
  {
    of: ['QuotaExceeded', 'InsufficientCapacity', 'XMinioStorageFull', 507],
    retryable: true,
    text: 'The S3 server has no room left for the bucket BUCKET. Free some space, or raise the quota.',
  },
  {
    of: [
      'SlowDown',
      'ServiceUnavailable',
      'RequestLimitExceeded',
      'TooManyRequests',
      'Throttling',
      'ThrottlingException',
      429,
      503,
    ],
    retryable: true,
    text: 'S3 asks for fewer requests to the bucket BUCKET. Try again later; the option "maxAttempts" sets the number of immediate attempts.',
  },
  {
    of: ['RequestTimeout', 'TimeoutError', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'],
    retryable: true,
    text: 'S3 did not answer in time for the bucket BUCKET. Try again; the options "requestTimeoutMs" and "maxAttempts" set the time limit.',
  },
  {
    said: /^Region is missing/,
    text: 'The region of the bucket BUCKET is not known. Set the option "region", or AWS_REGION in the environment.',
  },
  {
    said: /^(?:Region not accepted|Invalid region)\b/,
    text: 'The region for the bucket BUCKET is invalid. Set the option "region", or AWS_REGION in the environment, to a name such as "eu-central-1".',
  },
]

/** Returns other errors unchanged. The new message contains no signature, key, or signed URL. */
function explainS3Error(error: unknown, { bucket, endpoint, client }: S3ConnectionOptions): unknown {
  if (StorageError.isInstance(error)) return error
  const failure = failureOf(error)
  if (failure === undefined) return error
  const hasEndpoint = endpoint !== undefined || client?.config.isCustomEndpoint === true
  const { code = 'unavailable', retryable = false, text } = explanationOf(failure, hasEndpoint)
  const told = text
    .replace('BUCKET', () => JSON.stringify(bucket))
    .replace(/\bREGION/, () => (failure.region === undefined ? 'that of the bucket' : JSON.stringify(failure.region)))
  return new StorageError(code, `${told} (${failure.words})`, { retryable, cause: causeOf(error, failure) })
}

function explanationOf({ code, status, said }: Failure, hasEndpoint: boolean): Explanation {
  const knownBy = (one: string | number): Explanation | undefined => EXPLANATIONS.find(({ of }) => of?.includes(one))
  const known = knownBy(code) ?? (status === undefined ? undefined : knownBy(status))
  if (known !== undefined) return known
  if (status === undefined) return ofClient(said) ?? (code === 'ENOTFOUND' && !hasEndpoint ? NOT_FOUND : UNREACHABLE)
  return {
    retryable: status >= 500,
    text: 'S3 could not do this in the bucket BUCKET. If it persists, check the server.',
  }
}

const ofClient = (text = ''): Explanation | undefined => EXPLANATIONS.find(({ said }) => said?.test(text))

function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  const { name, message, $metadata, Region, $response } = error as Error & {
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly Region?: unknown
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> }
  }
  const network = (error as { readonly code?: unknown }).code
  const code = name === 'Error' && typeof network === 'string' ? network : name
  const isOfClient = code !== 'Error' || ofClient(message) !== undefined || message === 'aborted'
  if ($metadata === undefined && (!isOfClient || error instanceof TypeError)) return undefined
  const status = $metadata?.httpStatusCode
  const region = typeof Region === 'string' ? Region : $response?.headers?.['x-amz-bucket-region']
  // The ARN in an access error contains an object name, with the scope and the reference.
  const said = message === 'UnknownError' || message === '' ? undefined : message.replace(ARN, '…')
  const words = [status, code === 'Error' || code === 'Unknown' ? undefined : code, said]
  return {
    code,
    status,
    region,
    said,
    words: words.filter((word) => word !== undefined).join(' ') || 'no reason given',
  }
}

/** Returns the cause without the fields of S3 errors that may quote the key and the signed text. */
function causeOf(error: unknown, { code, status, words }: Failure): unknown {
  return status === undefined ? error : Object.assign(new Error(words), { name: code, status })
}

/** Limits the number of concurrent tasks. Other tasks wait in order. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
