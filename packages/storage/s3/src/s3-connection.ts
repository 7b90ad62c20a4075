import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { explainS3Error } from './s3-error.ts'
import { Slots } from './slots.ts'

const MAX_SOCKETS = 64
/** Most servers that are not of AWS take any region; clients must name one. */
const ANY_REGION = 'us-east-1'

/** How an S3 server is reached. */
export interface S3ConnectionOptions {
  readonly bucket: string
  readonly client?: S3Client | undefined
  readonly region?: string | undefined
  readonly endpoint?: string | undefined
  readonly credentials?: S3ClientConfig['credentials'] | undefined
  readonly forcePathStyle?: boolean | undefined
  readonly requestTimeoutMs: number
  readonly maxAttempts: number
  readonly checksums: 'when-required' | 'when-supported'
}

/** A client that is made at its first use, and closed here only if it was made here. */
export class S3Connection {
  readonly #options: S3ConnectionOptions
  /** A request that waits for a free socket would count as one that cannot connect. */
  readonly #slots = new Slots(MAX_SOCKETS)
  #own: S3Client | undefined
  #endpoint: string | undefined

  constructor(options: S3ConnectionOptions) {
    this.#options = options
    this.#endpoint = options.endpoint
  }

  get bucket(): string {
    return this.#options.bucket
  }

  /** The server's address, for the command line of AWS; `undefined` for AWS itself, and before the first use of a client. */
  get endpoint(): string | undefined {
    return this.#endpoint
  }

  /** How often a request is tried. */
  async maxAttempts(): Promise<number> {
    return (await this.#options.client?.config.maxAttempts()) ?? this.#options.maxAttempts
  }

  /** Use the client for one request and its answer, explaining what it rejects with. */
  async use<Result>(run: (client: S3Client) => Promise<Result>): Promise<Result> {
    const { client } = this.#options
    try {
      if (client === undefined) return await this.#slots.run(() => run((this.#own ??= new S3Client(this.#config()))))
      const result = await run(client)
      this.#endpoint ??= await endpointOf(client)
      return result
    } catch (error) {
      throw this.explained(error)
    }
  }

  /** Explain what a client has rejected with, or the body of its answer. */
  explained(error: unknown): unknown {
    const { bucket, endpoint, client } = this.#options
    return explainS3Error(error, {
      bucket,
      hasEndpoint: endpoint !== undefined || client?.config.isCustomEndpoint === true,
    })
  }

  /** Close the client that was made here; using it again makes a new one. */
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
      // It would cost a connection for each large upload; whether one may store is known before from a small request.
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
