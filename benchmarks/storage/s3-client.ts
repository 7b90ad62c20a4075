import { S3Client } from '@aws-sdk/client-s3'
import type { S3Address } from './place.ts'

/** Create a client for a server that is not Amazon's: without checksums that were not requested. */
export const s3Client = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Address): S3Client =>
  new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
