import { S3Client } from '@aws-sdk/client-s3'
import type { S3Address } from './place.ts'

/** Make a client as one would for a server that is not Amazon's: without checksums that nobody asked for. */
export const s3Client = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Address): S3Client =>
  new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
