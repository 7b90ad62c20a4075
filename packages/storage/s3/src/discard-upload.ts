import { setTimeout as delay } from 'node:timers/promises'
import type { S3Uploads, UnfinishedUpload } from './s3-uploads.ts'

/** Pauses before the attempts after the first, in milliseconds. */
const PAUSES_MS = [50, 200, 500]
/** A server that takes longer to fail is down, and waiting for it would only delay the failure of the store. */
const PATIENCE_MS = 1_000

/**
 * Throw away an upload that failed, and look whether it is gone, a few times: what broke the upload may have broken the
 * connection that the abort goes over too, and parts that are still on their way to S3 can outlive an abort, as its
 * documentation says.
 */
export async function discardUpload(uploads: S3Uploads, upload: UnfinishedUpload): Promise<void> {
  const startedAt = performance.now()
  for (const pause of PAUSES_MS) {
    const [gone] = await Promise.allSettled([isGone(uploads, upload)])
    if (gone.status === 'fulfilled' && gone.value) return
    // What fails for the last time is collected later.
    if (performance.now() - startedAt > PATIENCE_MS) return
    await delay(pause)
  }
  await Promise.allSettled([uploads.abort(upload)])
}

async function isGone(uploads: S3Uploads, upload: UnfinishedUpload): Promise<boolean> {
  await uploads.abort(upload)
  return (await uploads.progress(upload)) === undefined
}
