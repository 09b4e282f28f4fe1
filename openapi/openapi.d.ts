/* Made from openapi.json by npm run build:docs. */

export interface paths {
    "/api/providers/{provider}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what you may do on a provider */
        get: operations["getApiProvidersProviderPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** List what you may do on a provider: the headers alone */
        head: operations["headApiProvidersProviderPermissions"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you may do in a bucket, beneath a prefix, or on a key
         * @description An action is listed when policy allows it on at least one resource in the bucket, beneath the prefix, or on the key. With `prefix` the answer also has `here`: the actions allowed on a new object directly beneath the prefix. Storage is not asked, so a bucket that does not exist gets the same answer as any other name.
         */
        get: operations["getApiProvidersProviderBucketsBucketPermissions"];
        put?: never;
        /** List what you may do on each of up to 1000 keys */
        post: operations["postApiProvidersProviderBucketsBucketPermissions"];
        delete?: never;
        options?: never;
        /**
         * List what you may do in a bucket, beneath a prefix, or on a key: the headers alone
         * @description An action is listed when policy allows it on at least one resource in the bucket, beneath the prefix, or on the key. With `prefix` the answer also has `here`: the actions allowed on a new object directly beneath the prefix. Storage is not asked, so a bucket that does not exist gets the same answer as any other name.
         */
        head: operations["headApiProvidersProviderBucketsBucketPermissions"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the objects that you may see
         * @description Keys are sorted by their UTF-8 bytes. With a `delimiter`, a common prefix is listed if it contains a key that you may list. The ETag changes with what you may see of the page.
         */
        get: operations["getApiProvidersProviderBucketsBucketObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * List the objects that you may see: the headers alone
         * @description Keys are sorted by their UTF-8 bytes. With a `delimiter`, a common prefix is listed if it contains a key that you may list. The ETag changes with what you may see of the page.
         */
        head: operations["headApiProvidersProviderBucketsBucketObjects"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an object
         * @description Honours `Range`, `If-None-Match` and `If-Modified-Since`. With `If-Match` or `If-Unmodified-Since` the answer is 412 when the object has changed. HTML, SVG and XML are always attachments.
         */
        get: operations["getApiProvidersProviderBucketsBucketObject"];
        /**
         * Upload an object
         * @description The body is the object; its `Content-Type` is stored with it. With `Content-MD5`, a body with a different MD5 is refused. With `If-None-Match: *` the request is refused when the object exists, and with `If-Match` when it has changed. A request stores at most 5 GiB; send larger objects in parts.
         */
        put: operations["putApiProvidersProviderBucketsBucketObject"];
        post?: never;
        /** Delete an object */
        delete: operations["deleteApiProvidersProviderBucketsBucketObject"];
        options?: never;
        /**
         * Download an object: the headers alone
         * @description Honours `Range`, `If-None-Match` and `If-Modified-Since`. With `If-Match` or `If-Unmodified-Since` the answer is 412 when the object has changed. HTML, SVG and XML are always attachments.
         */
        head: operations["headApiProvidersProviderBucketsBucketObject"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/objects/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete up to 1000 objects */
        post: operations["postApiProvidersProviderBucketsBucketObjectsDelete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/objects/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy or move an object
         * @description The target may have another key, bucket or provider. With `move` the source is deleted when the target has been written. With `If-None-Match: *` the request is refused when the target exists.
         */
        post: operations["postApiProvidersProviderBucketsBucketObjectsCopy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/presign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a link that works without signing in */
        post: operations["postApiProvidersProviderBucketsBucketObjectPresign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the content type and the metadata of an object
         * @description What is not named stays as it is: headers, other metadata, tags and the storage class. Storage copies the object onto itself, which it does for up to 5 GiB.
         */
        put: operations["putApiProvidersProviderBucketsBucketObjectProperties"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Replace the tags of an object */
        put: operations["putApiProvidersProviderBucketsBucketObjectTags"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened to an object
         * @description Lists the person, the operation and the outcome, latest first, for callers who may read the object. Other objects of the same requests are not shown.
         */
        get: operations["getApiProvidersProviderBucketsBucketObjectActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * List what happened to an object: the headers alone
         * @description Lists the person, the operation and the outcome, latest first, for callers who may read the object. Other objects of the same requests are not shown.
         */
        head: operations["headApiProvidersProviderBucketsBucketObjectActivity"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the objects that you may see by name, kind, size, date and tag
         * @description Streams results as lines of JSON, in the order of the keys. The last line has `done`, or `next_cursor` when the search reached its limit of time or results: send it as `cursor` to continue, without repeated results. When something fails during the search, the last line has `error`. An answer that ends without one of these was cut off.
         */
        get: operations["getApiProvidersProviderBucketsBucketSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Find the objects that you may see by name, kind, size, date and tag: the headers alone
         * @description Streams results as lines of JSON, in the order of the keys. The last line has `done`, or `next_cursor` when the search reached its limit of time or results: send it as `cursor` to continue, without repeated results. When something fails during the search, the last line has `error`. An answer that ends without one of these was cut off.
         */
        head: operations["headApiProvidersProviderBucketsBucketSearch"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the objects that you may see, and their bytes
         * @description Streams lines of JSON: the count so far, and the count of each folder directly beneath the prefix as soon as it is known. The last line has `done`, `next_cursor` or `error`, as in a search. With a `cursor`, the counts begin at zero again: add up the counts of all answers, also for a folder that appears twice.
         */
        get: operations["getApiProvidersProviderBucketsBucketSize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Count the objects that you may see, and their bytes: the headers alone
         * @description Streams lines of JSON: the count so far, and the count of each folder directly beneath the prefix as soon as it is known. The last line has `done`, `next_cursor` or `error`, as in a search. With a `cursor`, the counts begin at zero again: add up the counts of all answers, also for a folder that appears twice.
         */
        head: operations["headApiProvidersProviderBucketsBucketSize"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a small version of a picture
         * @description For JPEG, PNG, WebP, GIF, AVIF and TIFF of at most 32 MiB, 50 million pixels and 200 MB when decoded. The content decides the format. The longer side has at most 400 pixels. `not_supported` means that there is no thumbnail.
         */
        get: operations["getApiProvidersProviderBucketsBucketObjectThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Show a small version of a picture: the headers alone
         * @description For JPEG, PNG, WebP, GIF, AVIF and TIFF of at most 32 MiB, 50 million pixels and 200 MB when decoded. The content decides the format. The longer side has at most 400 pixels. `not_supported` means that there is no thumbnail.
         */
        head: operations["headApiProvidersProviderBucketsBucketObjectThumbnail"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download several objects as a ZIP
         * @description Name `keys`, `prefixes`, or both. The request is refused when you may not read one of the keys, unless `skip_denied` is true. Objects beneath a prefix that you may not list or read are omitted. The file `NOT-INCLUDED.txt` in the archive names omitted objects that you may list.
         */
        post: operations["postApiProvidersProviderBucketsBucketArchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin an upload in parts */
        post: operations["postApiProvidersProviderBucketsBucketUploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/uploads/{id}/parts/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send one part
         * @description The body is the part, and `Content-Length` is required. With `Content-MD5`, a part with a different MD5 is refused. Every part but the last has at least 5 MiB. A part that is sent again replaces the earlier one.
         */
        put: operations["putApiProvidersProviderBucketsBucketUploadsIdPartsNumber"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the parts that were stored
         * @description A client calls this to resume an upload.
         */
        get: operations["getApiProvidersProviderBucketsBucketUploadsId"];
        put?: never;
        post?: never;
        /** Drop an upload and its parts */
        delete: operations["deleteApiProvidersProviderBucketsBucketUploadsId"];
        options?: never;
        /**
         * List the parts that were stored: the headers alone
         * @description A client calls this to resume an upload.
         */
        head: operations["headApiProvidersProviderBucketsBucketUploadsId"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/uploads/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join the parts into the object
         * @description Joins exactly the parts that the body names. When storage lacks some of them, or has them with another ETag, the answer is `conflict` with their numbers in `parts`. With `If-None-Match: *` the request is refused when the object exists, and the parts are kept.
         */
        post: operations["postApiProvidersProviderBucketsBucketUploadsIdComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the storage providers that you may see */
        get: operations["getApiProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** List the storage providers that you may see: the headers alone */
        head: operations["headApiProviders"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the buckets that you may see */
        get: operations["getApiProvidersProviderBuckets"];
        put?: never;
        /** Create a bucket */
        post: operations["postApiProvidersProviderBuckets"];
        delete?: never;
        options?: never;
        /** List the buckets that you may see: the headers alone */
        head: operations["headApiProvidersProviderBuckets"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an empty bucket */
        delete: operations["deleteApiProvidersProviderBucketsBucket"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what the bucket keeps of objects that are overwritten or deleted */
        get: operations["getApiProvidersProviderBucketsBucketInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Show what the bucket keeps of objects that are overwritten or deleted: the headers alone */
        head: operations["headApiProvidersProviderBucketsBucketInfo"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions and deleted objects that you may see
         * @description Lists the versions of one `key`, or those of all keys that start with `prefix`. A version is listed if you are allowed `objects:versions` on its key; a common prefix, if it contains such a version.
         */
        get: operations["getApiProvidersProviderBucketsBucketVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * List the versions and deleted objects that you may see: the headers alone
         * @description Lists the versions of one `key`, or those of all keys that start with `prefix`. A version is listed if you are allowed `objects:versions` on its key; a common prefix, if it contains such a version.
         */
        head: operations["headApiProvidersProviderBucketsBucketVersions"];
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a version of an object back
         * @description Copies the version on top of the others, also when the object was deleted. No version is deleted. Nothing is done when the version is the newest one already. With `If-None-Match: *` the request is refused when the object exists; with `If-Match`, when it has another ETag. This asks `objects:restore` and `objects:write`.
         */
        post: operations["postApiProvidersProviderBucketsBucketObjectRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/objects/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a folder back to a moment
         * @description Brings back the content that each object had then, and deletes the objects that did not exist, so that their versions stay. Objects on which you are not allowed `objects:versions` are neither changed nor counted. This asks `objects:restore` and `objects:write` on each object that is brought back, and `objects:delete` on each that is deleted; a bucket that keeps no new versions loses nothing. Begin with `dry_run`, and send the `planned_at` of its first answer as `if_unmodified_since`.
         *
         *     Streams lines of JSON in the order of the keys: `planned_at`, an `entry` for each object that is not as it was then, and the `counts` so far. The last line has `done`, `next_cursor` or `error`: send `next_cursor` as `cursor` to continue, and add up the counts of all answers. A run stops when its client disconnects. It can be sent again, also after an answer that was cut off, and continues with the rest.
         */
        post: operations["postApiProvidersProviderBucketsBucketObjectsRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring an archived object back for reading
         * @description For objects in an archive of storage, such as the storage classes `GLACIER` and `DEEP_ARCHIVE`. Storage may charge for it. Until it is done, `object/head` answers the header `X-Amz-Restore` with `ongoing-request="true"`.
         */
        post: operations["postApiProvidersProviderBucketsBucketObjectUnarchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/providers/{provider}/buckets/{bucket}/object/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete one version of an object for ever
         * @description When it is the newest version, the one before it becomes the newest. A version that a lock or a legal hold keeps is refused.
         */
        post: operations["postApiProvidersProviderBucketsBucketObjectPurge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/places": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your favourite and recent places
         * @description Places that you may not list now are left out.
         */
        get: operations["getApiPlaces"];
        put?: never;
        /**
         * Mark places as favourite, plain or opened
         * @description Of more than 50 favourites and 20 recent places the oldest are removed.
         */
        post: operations["postApiPlaces"];
        delete?: never;
        options?: never;
        /**
         * List your favourite and recent places: the headers alone
         * @description Places that you may not list now are left out.
         */
        head: operations["headApiPlaces"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List every role */
        get: operations["getApiAdminRoles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** List every role: the headers alone */
        head: operations["headApiAdminRoles"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List every compiled policy */
        get: operations["getApiAdminPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** List every compiled policy: the headers alone */
        head: operations["headApiAdminPolicies"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List every binding */
        get: operations["getApiAdminBindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** List every binding: the headers alone */
        head: operations["headApiAdminBindings"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check every storage provider
         * @description Sends a read-only request to each provider. Results are cached for five seconds, and a check takes at most five seconds.
         */
        get: operations["getApiAdminProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Check every storage provider: the headers alone
         * @description Sends a read-only request to each provider. Results are cached for five seconds, and a check takes at most five seconds.
         */
        head: operations["headApiAdminProviders"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active sessions
         * @description Lists entries in pages, latest first.
         */
        get: operations["getApiAdminSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * List active sessions: the headers alone
         * @description Lists entries in pages, latest first.
         */
        head: operations["headApiAdminSessions"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest sign-ins
         * @description The latest 500 sign-ins and refusals of people whom the identity provider named, of all instances that share their sessions, in pages. Sign-ins that failed before the provider named anybody are listed separately: the latest 100, with `result=unknown`.
         */
        get: operations["getApiAdminSignIns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * List the latest sign-ins: the headers alone
         * @description The latest 500 sign-ins and refusals of people whom the identity provider named, of all instances that share their sessions, in pages. Sign-ins that failed before the provider named anybody are listed separately: the latest 100, with `result=unknown`.
         */
        head: operations["headApiAdminSignIns"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/sessions/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke every session of a person
         * @description The sessions end at once, with their open connections and transfer tickets. The person can sign in again, and their API keys stay.
         */
        post: operations["postApiAdminSessionsRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a session
         * @description The session ends at once. Its open connections and transfer tickets end with it.
         */
        delete: operations["deleteApiAdminSessionsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain whether a person may do something
         * @description Asks only policy, not storage, and changes nothing. The person does not have to exist. Without `action`, every action is explained.
         */
        post: operations["postApiAdminExplain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Query the audit
         * @description Lists entries in pages, latest first, of all instances whose files are here. An entry has to match all filters. Without `audit.path` in the configuration, there is no audit to query.
         */
        get: operations["getApiAdminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Query the audit: the headers alone
         * @description Lists entries in pages, latest first, of all instances whose files are here. An entry has to match all filters. Without `audit.path` in the configuration, there is no audit to query.
         */
        head: operations["headApiAdminAudit"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit/sinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the receivers of the audit
         * @description What waits for each sink, when it last took lines, and its latest failures, as the process that answers knows it. Addresses are shortened to their host.
         */
        get: operations["getApiAdminAuditSinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Show the receivers of the audit: the headers alone
         * @description What waits for each sink, when it last took lines, and its latest failures, as the process that answers knows it. Addresses are shortened to their host.
         */
        head: operations["headApiAdminAuditSinks"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/who": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Name who may do something at a place
         * @description Every group and person that a rule affects there, with each rule and the binding that gives it, in the order of the configuration. Storage is not asked.
         */
        get: operations["getApiAdminWho"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Name who may do something at a place: the headers alone
         * @description Every group and person that a rule affects there, with each rule and the binding that gives it, in the order of the configuration. Storage is not asked.
         */
        head: operations["headApiAdminWho"];
        patch?: never;
        trace?: never;
    };
    "/api/admin/view-as": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what the UI would show to a person
         * @description Providers, and the buckets and places that configuration and policy name, with the actions that the person may perform there. Only policy is asked, not storage, so the answer contains no stored names. The audit records who made the request.
         */
        post: operations["postApiAdminViewAs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers/{ticket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download with a ticket
         * @description Honours `Range`, and the same conditions as the other download. A ticket can be used again until it expires, so that a download can continue where it stopped.
         */
        get: operations["getV1TransfersTicket"];
        /**
         * Upload with a ticket
         * @description The body is the object, or the part for which the ticket was created. `Content-Type` is stored with the object, and so are the headers that the ticket was created with; for parts, `upload/create` sets them. With `Content-MD5`, a body with a different MD5 is refused. With `If-Match` the request is refused when the object has changed. A ticket can be used once.
         */
        put: operations["putV1TransfersTicket"];
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Download with a ticket: the headers alone
         * @description Honours `Range`, and the same conditions as the other download. A ticket can be used again until it expires, so that a download can continue where it stopped.
         */
        head: operations["headV1TransfersTicket"];
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin a sign-in */
        get: operations["getApiAuthLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Begin a sign-in: the headers alone */
        head: operations["headApiAuthLogin"];
        patch?: never;
        trace?: never;
    };
    "/api/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finish a sign-in after the identity provider */
        get: operations["getApiAuthCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign out
         * @description Ends the session of this service first. A browser then goes to the provider to end the session there, when that is turned on and the provider supports it; without a session here too, because one may have ended without the provider. When another site sent the browser here, a page asks the person first. When the session cannot be ended, the cookie stays, and a browser gets a page on which the person can check the session.
         */
        get: operations["getApiAuthLogout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who is signed in
         * @description The answer contains no permissions.
         */
        get: operations["getApiAuthMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Read who is signed in: the headers alone
         * @description The answer contains no permissions.
         */
        head: operations["headApiAuthMe"];
        patch?: never;
        trace?: never;
    };
    "/v1/auth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a sign-in, in a browser or for a desktop client
         * @description A browser sends `return_to`. A desktop client sends `response_type=code`, `client_id=svc-desktop`, `redirect_uri`, `state`, `code_challenge` and `code_challenge_method=S256`, and receives its code at the loopback redirect.
         */
        get: operations["getV1AuthAuthorize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Begin a sign-in, in a browser or for a desktop client: the headers alone
         * @description A browser sends `return_to`. A desktop client sends `response_type=code`, `client_id=svc-desktop`, `redirect_uri`, `state`, `code_challenge` and `code_challenge_method=S256`, and receives its code at the loopback redirect.
         */
        head: operations["headV1AuthAuthorize"];
        patch?: never;
        trace?: never;
    };
    "/v1/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finish a sign-in after the identity provider */
        get: operations["getV1AuthCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a desktop code for a session credential
         * @description A code is valid for 60 seconds and can be used once. Using it again also ends the session that it created.
         */
        post: operations["postV1AuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["postV1AuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/backchannel-logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End sessions that the identity provider has ended
         * @description OpenID Connect Back-Channel Logout 1.0; only the identity provider calls this. Ends the sessions that began with the `sid` of the logout token, and those of its `sub` that have no `sid`; or, without `sid`, all sessions of its `sub`. API keys stay valid.
         */
        post: operations["postV1AuthBackchannelLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process answers
         * @description Checks no dependency. Meant for a liveness probe.
         */
        get: operations["getApiHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Check that the process answers: the headers alone
         * @description Checks no dependency. Meant for a liveness probe.
         */
        head: operations["headApiHealth"];
        patch?: never;
        trace?: never;
    };
    "/api/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service can do its work
         * @description Checks the session store, the state database and the audit in files, at most once a second. Meant for a readiness probe. Only signed-in callers learn which check failed.
         */
        get: operations["getApiReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Check that the service can do its work: the headers alone
         * @description Checks the session store, the state database and the audit in files, at most once a second. Meant for a readiness probe. Only signed-in callers learn which check failed.
         */
        head: operations["headApiReady"];
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description */
        get: operations["getApiOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** This description: the headers alone */
        head: operations["headApiOpenapiJson"];
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the current principal */
        get: operations["getV1AuthSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Read the current principal: the headers alone */
        head: operations["headV1AuthSession"];
        patch?: never;
        trace?: never;
    };
    "/rpc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a WebSocket for JSON-RPC 2.0
         * @description Each text message has the form of a POST body. The service closes the socket with 4001 when the session or key ends. A GET that does not ask for a WebSocket is refused.
         */
        get: operations["getRpc"];
        put?: never;
        /**
         * Call methods by JSON-RPC 2.0
         * @description One call, or a batch of up to 50 calls, which are performed one after the other. The outcome of each call, including errors, has status 200. A request without a valid credential or from another origin gets the HTTP status of its problem. With a cookie, `Origin` must be the service's own. A message has at most 1 MiB, and 64 KiB for `apiKey/…`. Its JSON may be nested 16 deep and have up to 20,500 members and 10,500 lists and objects.
         */
        post: operations["postRpc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKey: {
            /** @description Public id. */
            id: string;
            description: string;
            scope: components["schemas"]["ApiKeyScope"];
            /** @description RFC 3339. */
            expiresAt: string | null;
            creator: {
                issuer: string;
                subject: string;
                groups: string[];
                name: string;
            };
            /** @description RFC 3339. */
            createdAt: string;
            /** @description RFC 3339. */
            rotatedAt: string | null;
            /** @description RFC 3339. */
            lastUsedAt: string | null;
        };
        ApiKeyCreateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/create";
            params: components["schemas"]["ApiKeyCreateParams"];
        };
        ApiKeyCreateParams: {
            description: components["schemas"]["Purpose"];
            scope: components["schemas"]["ApiKeyScope"];
            /** @description When the key expires, as RFC 3339. A key without it, or with null, never expires. */
            expiresAt?: string | null;
        };
        ApiKeyCreateResult: {
            key: components["schemas"]["ApiKey"];
            /** @description The credential of the key. It is returned here and never again. */
            credential: string;
        };
        ApiKeyListAllCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/listAll";
            params?: components["schemas"]["ApiKeyListAllParams"];
        };
        ApiKeyListAllParams: {
            /** @description A part of the name or of the subject of the person. Case does not matter. */
            person?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `100`. */
            limit?: number;
        };
        ApiKeyListAllResult: {
            keys: components["schemas"]["ApiKey"][];
            /** @description Total number on all pages. */
            total: number;
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
        };
        ApiKeyListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/list";
            params?: components["schemas"]["ApiKeyListParams"];
        };
        ApiKeyListParams: Record<string, never>;
        ApiKeyListResult: {
            keys: components["schemas"]["ApiKey"][];
        };
        ApiKeyReplaceScopeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/replaceScope";
            params: components["schemas"]["ApiKeyReplaceScopeParams"];
        };
        ApiKeyReplaceScopeParams: {
            /** @description Public id of the key. */
            id: string;
            scope: components["schemas"]["ApiKeyScope"];
        };
        ApiKeyReplaceScopeResult: {
            key: components["schemas"]["ApiKey"];
        };
        ApiKeyRevokeAllCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/revokeAll";
            params: components["schemas"]["ApiKeyRevokeAllParams"];
        };
        ApiKeyRevokeAllParams: {
            /** @description Issuer of the person. */
            issuer: string;
            /** @description Subject of the person. */
            subject: string;
        };
        ApiKeyRevokeAllResult: {
            /** @description Number of revoked keys. */
            revoked: number;
        };
        ApiKeyRevokeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/revoke";
            params: components["schemas"]["ApiKeyRevokeParams"];
        };
        ApiKeyRevokeParams: {
            /** @description Public id of the key. */
            id: string;
        };
        ApiKeyRevokeResult: Record<string, never>;
        ApiKeyRotateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "apiKey/rotate";
            params: components["schemas"]["ApiKeyRotateParams"];
        };
        ApiKeyRotateParams: {
            /** @description Public id of the key. */
            id: string;
        };
        ApiKeyRotateResult: {
            key: components["schemas"]["ApiKey"];
            /** @description The credential of the key. It is returned here and never again. */
            credential: string;
        };
        ApiKeyScope: {
            rules: {
                actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                resources: components["schemas"]["Selector"][];
            }[];
        };
        AuditListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "audit/list";
            params?: components["schemas"]["AuditListParams"];
        };
        AuditListParams: {
            /** @description Exact subject of the person who made the request. */
            subject?: string;
            /** @description Issuer of the person. */
            issuer?: string;
            /** @description Exactly this provider, or with `bucket` this bucket, or with `key` this object. */
            provider?: string;
            /** @description Bucket name. */
            bucket?: string;
            /** @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte. */
            key?: string;
            /** @description The text of a resource, exactly: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`. */
            resource?: string;
            /** @description Name of an operation, such as `object/delete`. */
            operation?: string;
            /**
             * @description `changes`: without reads, and without the steps of a transfer that were done, such as tickets and parts. `storage`: without the reads of anything but storage, such as those of the administration pages.
             * @enum {string}
             */
            only?: "changes" | "storage";
            /**
             * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
             * @enum {string}
             */
            outcome?: "done" | "denied" | "failed" | "partly" | "unknown";
            /** @description RFC 3339: from this moment. */
            from?: string;
            /** @description RFC 3339: before this moment. */
            to?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `200`. */
            limit?: number;
        };
        AuditListResult: {
            lines: {
                /** @description The folder of the chain, which names the instance that wrote it. */
                instance: string;
                /** @description Number of the line in its chain. */
                seq: number;
                /** @description RFC 3339. */
                time: string;
                operation: string;
                /**
                 * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                 * @enum {string}
                 */
                outcome: "done" | "denied" | "failed" | "partly" | "unknown";
                why?: string;
                issuer: string;
                subject: string;
                name: string;
                via: string;
                credentialId?: string;
                policyRevision?: string;
                address?: string;
                face: string;
                requestId: string;
                bytes?: number;
                durationMs?: number;
                line?: number;
                lines?: number;
                /** @description Whether the operation changes something, or hands out something that can be used later. */
                changes: boolean;
                resources: {
                    /** @description The resource as people read it: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`. */
                    resource: string;
                    provider?: string;
                    bucket?: string;
                    key?: string;
                    /** @description The start of keys, for a listing or a folder of an archive. */
                    prefix?: string;
                    session?: string;
                    apiKey?: string;
                    s3Key?: string;
                    person?: string;
                    action?: string;
                    /** @enum {string} */
                    outcome?: "done" | "denied" | "failed" | "untouched";
                    why?: string;
                    /**
                     * @description The rule that decided: the name of the policy, and the place in it, from 0.
                     * @example photographers 0
                     */
                    rule?: string;
                    /**
                     * @description The version of the object, when the request named one.
                     * @example 3HL4kqtJvjVBH40Nrjfkd
                     */
                    version?: string;
                    of?: {
                        issuer: string;
                        subject: string;
                        name: string;
                    };
                }[];
            }[];
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
            /** @description False while the index lacks newer lines: query again in a moment. */
            complete: boolean;
        };
        AuditSinksCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "audit/sinks";
            params?: components["schemas"]["AuditSinksParams"];
        };
        AuditSinksParams: Record<string, never>;
        AuditSinksResult: {
            /**
             * @description The folder of the process that answers. Other processes send their own lines.
             * @example files-1
             */
            instance: string;
            sinks: {
                /**
                 * @description The name of the sink in the configuration.
                 * @example siem
                 */
                name: string;
                /** @enum {string} */
                type: "http" | "syslog";
                /**
                 * @description The host of its address. The rest of the address may be secret, and is left out.
                 * @example collector.example.com
                 */
                host: string;
                operations: string[] | null;
                outcomes: string[] | null;
                places: string[] | null;
                /** @description Whether the latest attempt failed. */
                failing: boolean;
                /**
                 * @description Bytes of lines that wait.
                 * @example 5120
                 */
                unsentBytes: number;
                /**
                 * @description Age of the oldest line that waits; 0 when none waits.
                 * @example 12.5
                 */
                lagSeconds: number;
                /**
                 * @description Lines that it took since the process started.
                 * @example 1042
                 */
                sentLines: number;
                /**
                 * @description Lines that it will never receive, because more waited than its spool holds.
                 * @example 0
                 */
                skippedLines: number;
                /** @description RFC 3339. */
                lastSentAt: string | null;
                /** @description The latest failures since the process started, the latest first; at most five. */
                failures: {
                    /** @description RFC 3339. */
                    at: string;
                    /**
                     * @description Why it took no lines.
                     * @example the receiver answered with status 503
                     */
                    why: string;
                }[];
            }[];
        };
        BucketCreateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bucket/create";
            params: components["schemas"]["BucketCreateParams"];
        };
        BucketCreateParams: {
            provider: components["schemas"]["ProviderName"];
            name: components["schemas"]["BucketName"];
        };
        BucketCreateResult: {
            name: string;
        };
        BucketDeleteCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bucket/delete";
            params: components["schemas"]["BucketDeleteParams"];
        };
        BucketDeleteParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
        };
        BucketDeleteResult: Record<string, never>;
        BucketGetCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bucket/get";
            params: components["schemas"]["BucketGetParams"];
        };
        BucketGetParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
        };
        BucketGetResult: {
            name: string;
        };
        BucketInfoCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bucket/info";
            params: components["schemas"]["BucketInfoParams"];
        };
        BucketInfoParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
        };
        BucketInfoResult: {
            name: string;
            /**
             * @description Whether the bucket keeps what is overwritten or deleted. `suspended`: it keeps old versions, but no new ones. `unknown`: storage does not tell.
             * @enum {string}
             */
            versioning: "enabled" | "suspended" | "never" | "unknown";
            objectLock: boolean | null;
            /** @description Whether the storage credentials of the service may list versions. */
            canListVersions: boolean;
            keptDays: number | null;
        };
        BucketListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "bucket/list";
            params: components["schemas"]["BucketListParams"];
        };
        BucketListParams: {
            provider: components["schemas"]["ProviderName"];
        };
        BucketListResult: {
            buckets: {
                name: string;
                /** @description RFC 3339. */
                createdAt: string | null;
            }[];
        };
        /** @description Bucket name. */
        BucketName: string;
        CopyResult: {
            provider: string;
            bucket: string;
            key: string;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string | null;
        };
        Deletion: {
            deleted: string[];
            failed: {
                key: string;
                code: string;
            }[];
        };
        EndSession: {
            endSessionUrl: string;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
            version: string;
        };
        /**
         * @description The request is refused when the object has another ETag, or does not exist. The quotes of the ETag may be left out; `*` stands for any object.
         * @example "d41d8cd98f00b204e9800998ecf8427e"
         */
        IfMatch: string;
        InitializeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "initialize";
            params?: components["schemas"]["InitializeParams"];
        };
        InitializeParams: {
            [key: string]: unknown;
        };
        InitializeResult: {
            server: {
                name: string;
                version: string;
            };
            capabilities: {
                /** @description Whether the `apiKey/…` methods exist. */
                apiKeys: boolean;
                /** @description Whether the `s3Key/…` methods exist. */
                s3Keys: boolean;
                /** @description Whether the caller has the admin role. */
                admin: boolean;
                /** @description Whether the audit can be queried with `audit/list` and `object/activity`. */
                audit: boolean;
                /** @description Whether `place/list` and `place/mark` keep the places of the caller. */
                places: boolean;
            };
            s3: {
                /**
                 * @description Where tools reach the S3 endpoint.
                 * @example https://s3.example.com
                 */
                endpoint: string;
                /**
                 * @description The region to configure.
                 * @example svc
                 */
                region: string;
            } | null;
        };
        KeyPermissions: {
            /**
             * @example {
             *       "2025/summer/beach.jpg": [
             *         "objects:list",
             *         "objects:get"
             *       ]
             *     }
             */
            keys: {
                [key: string]: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
            };
        };
        /** @description The beginning of object keys. */
        KeyPrefix: string;
        LogoutTokenRequest: {
            /**
             * @description The logout token, a signed JWT.
             * @example eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl
             */
            logout_token: string;
        };
        Me: {
            authenticated: boolean;
            auth_enabled: boolean;
            /** @description The subject claim; `anonymous` when authentication is off, empty when not signed in. */
            subject: string;
            groups: string[];
        };
        ObjectActivityCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/activity";
            params: components["schemas"]["ObjectActivityParams"];
        };
        ObjectActivityParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `200`. */
            limit?: number;
        };
        ObjectActivityResult: {
            lines: {
                /** @description RFC 3339. */
                time: string;
                operation: string;
                /** @description Whether an `object/copy` was a move. */
                move?: boolean;
                /**
                 * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                 * @enum {string}
                 */
                outcome: "done" | "denied" | "failed" | "partly" | "unknown";
                why?: string;
                action?: string;
                /**
                 * @description The version of the object, when the request named one and you may see its versions.
                 * @example 3HL4kqtJvjVBH40Nrjfkd
                 */
                version?: string;
                issuer: string;
                subject: string;
                name: string;
                via: string;
            }[];
            /**
             * @description What people who are no administrators see of what others did with the object: everything, changes alone, or nothing. Administrators see everything.
             * @enum {string}
             */
            othersSee: "all" | "changes" | "off";
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
            /** @description False while the index lacks newer lines: query again in a moment. */
            complete: boolean;
        };
        ObjectCopyCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/copy";
            params: components["schemas"]["ObjectCopyParams"];
        };
        ObjectCopyParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            to: {
                /** @description Name of a configured storage provider. */
                provider?: string;
                /** @description Bucket name. */
                bucket?: string;
                key: components["schemas"]["ObjectKey"];
            };
            /** @description Delete the source when the target has been written. By default `false`. */
            move?: boolean;
            /**
             * @description With `*` the request is refused when the object exists.
             * @enum {string}
             */
            ifNoneMatch?: "*";
            ifMatch?: components["schemas"]["IfMatch"];
            /** @description As the header of this name says about the source. */
            sourceIfMatch?: string;
            /** @description As the header of this name says about the source. */
            sourceIfNoneMatch?: string;
            /** @description As the header of this name says about the source. */
            sourceIfModifiedSince?: string;
            /** @description As the header of this name says about the source. */
            sourceIfUnmodifiedSince?: string;
            /** @description The copy gets these headers instead of those of the source, and an object can be copied to itself. Without `x-amz-tagging` it keeps the tags. */
            replace?: {
                /** @description Media type. */
                contentType?: string;
                /** @description Headers to store with the object, by their names in lower case: `x-amz-meta-…` (at most 2 KiB in all), `cache-control`, `content-disposition`, `content-encoding`, `content-language`, `expires`, `x-amz-storage-class` and `x-amz-tagging`. */
                stored?: {
                    [key: string]: string;
                };
            };
            /** @description Storage class of the copy. It is that of the source when left out; `replace` names it itself. */
            storageClass?: string;
        };
        ObjectCopyResult: components["schemas"]["CopyResult"];
        ObjectDeleteCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/delete";
            params: components["schemas"]["ObjectDeleteParams"];
        };
        ObjectDeleteParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte. */
            key?: string;
            keys?: components["schemas"]["ObjectKey"][];
            ifMatch?: components["schemas"]["IfMatch"];
        };
        ObjectDeleteResult: components["schemas"]["Deletion"];
        ObjectEntry: {
            key: string;
            /** @description Bytes. */
            size: number;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string;
        };
        ObjectHeadCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/head";
            params: components["schemas"]["ObjectHeadParams"];
        };
        ObjectHeadParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /**
             * @description Read this version instead of the newest. This also asks `objects:versions`.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version?: string;
        };
        ObjectHeadResult: {
            key: string;
            /** @description Bytes. */
            size: number;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string | null;
            contentType: string;
            /**
             * @description Missing when storage does not say; then it is the ordinary one.
             * @example DEEP_ARCHIVE
             */
            storageClass?: string;
            /**
             * @description Of an archived object: whether it is being brought back, or until when it can be read, as storage says it.
             * @example ongoing-request="true"
             */
            restore?: string;
            /**
             * @description How the version is locked. Missing when it is not, or when storage does not say.
             * @example GOVERNANCE
             */
            lockMode?: string;
            /** @description Until when the version cannot be deleted, as RFC 3339. */
            lockedUntil?: string;
            /** @description Whether the version cannot be deleted until somebody ends the hold. */
            legalHold?: boolean;
        };
        /** @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte. */
        ObjectKey: string;
        ObjectListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/list";
            params: components["schemas"]["ObjectListParams"];
        };
        ObjectListParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Only keys that start with this prefix are listed. By default `""`. */
            prefix?: string;
            /**
             * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
             * @enum {string}
             */
            delimiter?: "/";
            /** @description `nextCursor` of the previous page, for the same prefix and delimiter. */
            cursor?: string;
            /** @description Only keys and common prefixes after this text are listed. With a `cursor` it does not count. */
            startAfter?: string;
            /** @description By default `200`. */
            limit?: number;
        };
        ObjectListResult: {
            objects: components["schemas"]["ObjectEntry"][];
            prefixes: string[];
            /** @description The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one. */
            nextCursor: string | null;
        };
        ObjectListVersionsCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/listVersions";
            params: components["schemas"]["ObjectListVersionsParams"];
        };
        ObjectListVersionsParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Only the versions of this object are listed. */
            key?: string;
            /** @description Only versions of keys that start with this prefix are listed. */
            prefix?: string;
            /**
             * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
             * @enum {string}
             */
            delimiter?: "/";
            /** @description `nextCursor` of the previous page of the same listing. */
            cursor?: string;
            /** @description By default `200`. */
            limit?: number;
        };
        ObjectListVersionsResult: {
            /** @description By key, and the versions of a key from the newest on. */
            versions: {
                key: string;
                /**
                 * @description Its id. `null`, as a text, for one that was written while the bucket kept no versions.
                 * @example 3HL4kqtJvjVBH40Nrjfkd
                 */
                version: string;
                /** @description Whether it is the newest version of its key. */
                isLatest: boolean;
                /** @description Whether the object was deleted at this time. A delete marker has no content. */
                isDeleteMarker: boolean;
                /** @description Bytes. */
                size: number;
                /** @description Null for a delete marker. */
                etag: string | null;
                /** @description RFC 3339. */
                lastModified: string;
                /**
                 * @description Null for a delete marker, and when storage does not say.
                 * @example STANDARD
                 */
                storageClass: string | null;
            }[];
            prefixes: string[];
            /** @description The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one. */
            nextCursor: string | null;
        };
        ObjectPresignCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/presign";
            params: components["schemas"]["ObjectPresignParams"];
        };
        ObjectPresignParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @enum {string} */
            method: "GET" | "PUT";
            /** @description Seconds until the link expires. */
            expiresIn: number;
        };
        ObjectPresignResult: {
            url: string;
            /** @enum {string} */
            method: "GET" | "PUT";
            /** @description When the link expires, as RFC 3339. This is earlier than `expiresIn` when the storage credentials expire earlier. */
            expiresAt: string;
        };
        ObjectPurgeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/purge";
            params: components["schemas"]["ObjectPurgeParams"];
        };
        ObjectPurgeParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /**
             * @description Version of the object, as a listing of versions gives it: `null`, as a text, for one that was written while the bucket kept no versions.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version: string;
            /**
             * @description Nothing is deleted if the version is later than this, for example the `lastModified` that was listed: other content gets the version `null` when it is replaced. A time as in RFC 3339.
             * @example 2026-01-31T17:00:00Z
             */
            ifUnmodifiedSince?: string;
        };
        ObjectPurgeResult: {
            key: string;
            /**
             * @description The version that was deleted.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version: string;
        };
        ObjectRestoreCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/restore";
            params: components["schemas"]["ObjectRestoreParams"];
        };
        ObjectRestoreFolderCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/restoreFolder";
            params: components["schemas"]["ObjectRestoreFolderParams"];
        };
        ObjectRestoreFolderParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Only keys that start with this prefix are brought back to the moment. By default `""`. */
            prefix?: string;
            /**
             * @description The moment. A time as in RFC 3339.
             * @example 2026-01-31T17:00:00Z
             */
            at: string;
            /** @description Only tell what would be done. By default `false`. */
            dryRun?: boolean;
            /**
             * @description The time of the plan that somebody agreed to: its `plannedAt`. Objects that were changed since then stay as they are. A time as in RFC 3339.
             * @example 2026-01-31T17:00:00Z
             */
            ifUnmodifiedSince?: string;
            /** @description `nextCursor` of the previous answer, whose counts these are added to. */
            cursor?: string;
        };
        ObjectRestoreFolderResult: {
            /** @description RFC 3339. */
            plannedAt: string;
            /** @description In the order of the keys. An object that is as it was then has none. */
            entries: {
                key: string;
                /**
                 * @description `restore`: content of that time is brought back. `delete`: the object did not exist then and is deleted; its versions stay. `leave`: it stays as it is, because of `why`.
                 * @enum {string}
                 */
                change: "restore" | "delete" | "leave";
                /**
                 * @description The version that is brought back, otherwise null.
                 * @example 3HL4kqtJvjVBH40Nrjfkd
                 */
                version: string | null;
                /** @description Bytes of the content that comes back; otherwise of the newest content, 0 if it is deleted. */
                size: number;
                /**
                 * @description Why the object stays as it is: `access_denied`: policy does not allow the change. `not_kept`: the content of that time is not kept any more, or nobody knows whether there was any. `not_versioned`: the bucket keeps no new versions now, so the change could not be undone. `changed`: somebody changed it since the plan. Otherwise the code of the error. Null when it does not stay.
                 * @example not_kept
                 */
                why: string | null;
            }[];
            counts: {
                /** @description What is brought back. `bytes` is the size of the content that comes back. */
                restore: {
                    /** @description Number of objects. */
                    objects: number;
                    bytes: number;
                };
                /** @description What is deleted. */
                delete: {
                    /** @description Number of objects. */
                    objects: number;
                    bytes: number;
                };
                /** @description What is not as it was then and stays as it is. `bytes` is its size now. */
                leave: {
                    /** @description Number of objects. */
                    objects: number;
                    bytes: number;
                };
                /** @description What is as it was then, so that nothing is done. Deleted objects are not counted. */
                unchanged: {
                    /** @description Number of objects. */
                    objects: number;
                    bytes: number;
                };
            };
            /** @description The `cursor` of the next request; null at the end. Add up the counts of all answers. An answer may be empty and still have a next one. */
            nextCursor: string | null;
        };
        ObjectRestoreParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /**
             * @description Version of the object, as a listing of versions gives it: `null`, as a text, for one that was written while the bucket kept no versions.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version: string;
            ifMatch?: components["schemas"]["IfMatch"];
            /**
             * @description With `*` the request is refused when the object exists.
             * @enum {string}
             */
            ifNoneMatch?: "*";
        };
        ObjectRestoreResult: {
            provider: string;
            bucket: string;
            key: string;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string | null;
            /**
             * @description The newest version of the object now: the copy, or the same version when nothing was done.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version: string;
            /** @description False when the version was the newest already, so that nothing was done. */
            isRestored: boolean;
        };
        ObjectSearchCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/search";
            params: components["schemas"]["ObjectSearchParams"];
        };
        ObjectSearchParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description A part of the name. Case does not matter. With a slash, it is compared with the whole path below `prefix`, otherwise only with the name. */
            q?: string;
            /** @description Only keys that start with this prefix are searched. By default `""`. */
            prefix?: string;
            /** @description Whether folders are found by their name too. Folders have no kind, size or date, so filters for these exclude them. By default `false`. */
            folders?: boolean;
            /**
             * @description Kind of the object, according to the ending of its name.
             * @enum {string}
             */
            kind?: "image" | "video" | "audio" | "pdf" | "csv" | "text" | "code" | "document" | "spreadsheet" | "presentation" | "archive" | "data" | "font" | "other";
            /** @description Bytes. */
            minSize?: number;
            /** @description Bytes. */
            maxSize?: number;
            /**
             * @description Only objects that were last changed then or later. A day (UTC) or a time, as in RFC 3339.
             * @example 2025-01-31
             * @example 2025-01-31T12:00:00Z
             */
            after?: string;
            /**
             * @description Only objects that were last changed earlier. A day (UTC) or a time, as in RFC 3339.
             * @example 2025-01-31
             * @example 2025-01-31T12:00:00Z
             */
            before?: string;
            /**
             * @description Only objects with this tag whose tags you may read: its name, or `name=value`. Case matters; the first `=` divides. Storage is asked once for each object that the other filters leave. Folders have no tags.
             * @example state
             * @example state=approved
             */
            tag?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
        };
        ObjectSearchResult: {
            objects: components["schemas"]["ObjectEntry"][];
            prefixes: string[];
            /** @description Number of keys that you may list and that were checked. */
            seen: number;
            /** @description The `cursor` of the next page; null at the end. A page may be empty and still have a next one. */
            nextCursor: string | null;
        };
        ObjectSetPropertiesCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/setProperties";
            params: components["schemas"]["ObjectSetPropertiesParams"];
        };
        ObjectSetPropertiesParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /**
             * @description ETag of the version that changes. The request is refused when the object has another one.
             * @example "d41d8cd98f00b204e9800998ecf8427e"
             */
            ifMatch: string;
            /** @description Media type. */
            contentType?: string;
            metadata?: {
                /** @description Name without `x-amz-meta-`, in lower case. */
                name: string;
                value: string | null;
            }[];
        };
        ObjectSetPropertiesResult: {
            key: string;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string | null;
        };
        ObjectSetTagsCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/setTags";
            params: components["schemas"]["ObjectSetTagsParams"];
        };
        ObjectSetTagsParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            tags: {
                /** @description Name of the tag. */
                key: string;
                /**
                 * @description Value of the tag.
                 * @example approved
                 */
                value: string;
            }[];
        };
        ObjectSetTagsResult: {
            key: string;
        };
        ObjectSizeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/size";
            params: components["schemas"]["ObjectSizeParams"];
        };
        ObjectSizeParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Only keys that start with this prefix are counted. By default `""`. */
            prefix?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
        };
        ObjectSizeResult: {
            /** @description Number of objects that you may list, without the markers of empty folders. */
            objects: number;
            /** @description Their bytes together. */
            bytes: number;
            /** @description Number of these that you may delete. */
            deletable: number;
            folders: {
                /** @description A folder directly beneath the prefix. */
                prefix: string;
                /** @description Number of objects that you may list, without the markers of empty folders. */
                objects: number;
                /** @description Their bytes together. */
                bytes: number;
                /** @description Number of these that you may delete. */
                deletable: number;
            }[];
            /** @description The `cursor` of the next page; null at the end. Add up the counts of all pages, also for a folder that appears twice. */
            nextCursor: string | null;
        };
        ObjectTagsCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/tags";
            params: components["schemas"]["ObjectTagsParams"];
        };
        ObjectTagsParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
        };
        ObjectTagsResult: {
            tags: {
                key: string;
                value: string;
            }[];
        };
        ObjectUnarchiveCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/unarchive";
            params: components["schemas"]["ObjectUnarchiveParams"];
        };
        ObjectUnarchiveParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description How long it can be read then. By default `7`. */
            days?: number;
            /**
             * @description How fast storage brings it back. Faster costs more, and not every archive has each. By default `"standard"`.
             * @enum {string}
             */
            tier?: "bulk" | "standard" | "expedited";
        };
        ObjectUnarchiveResult: {
            key: string;
            /**
             * @description `begun`: storage brings it back from now on, which takes minutes to days. `underway`: it was doing so already. `readable`: it can be read, for `days` from now.
             * @enum {string}
             */
            status: "begun" | "underway" | "readable";
        };
        ObjectUnwatchCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/unwatch";
            params: components["schemas"]["ObjectUnwatchParams"];
        };
        ObjectUnwatchParams: {
            /**
             * @description `watch` of an answer on this socket.
             * @example 1
             */
            watch: string;
        };
        ObjectUnwatchResult: Record<string, never>;
        ObjectWatchCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "object/watch";
            params: components["schemas"]["ObjectWatchParams"];
        };
        ObjectWatchParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description The folder, with the slash at its end; empty for the bucket. By default `""`. */
            prefix?: string;
        };
        ObjectWatchResult: {
            /**
             * @description Its id on this socket. A message `object/changed` with it follows, at most once a second, when an object that the caller may list changed beneath the folder.
             * @example 1
             */
            watch: string;
        };
        Part: {
            number: number;
            /** @description Bytes. */
            size: number;
            etag: string;
        };
        PermissionListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "permission/list";
            params: components["schemas"]["PermissionListParams"];
        };
        PermissionListParams: {
            provider: components["schemas"]["ProviderName"];
            /** @description Bucket name. */
            bucket?: string;
            /** @description Ask about the keys that start with this. */
            prefix?: string;
            /** @description Ask about exactly this key. */
            key?: string;
            /** @description Ask about each of these keys. */
            keys?: components["schemas"]["ObjectKey"][];
        };
        PermissionListResult: components["schemas"]["Permissions"] | components["schemas"]["KeyPermissions"];
        Permissions: {
            actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
            /** @description With `prefix`: the actions allowed on a new object directly beneath it, whose key no rule names more closely. */
            here?: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
        };
        PersonListSuspendedCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "person/listSuspended";
            params?: components["schemas"]["PersonListSuspendedParams"];
        };
        PersonListSuspendedParams: {
            /** @description A part of the name or of the subject of the person. Case does not matter. */
            person?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `1000`. */
            limit?: number;
        };
        PersonListSuspendedResult: {
            people: {
                issuer: string;
                subject: string;
                /** @description The name that the administrator gave, or the subject. */
                name: string;
                /** @description When an administrator suspended the person, as RFC 3339. */
                since: string;
            }[];
            /** @description Total number on all pages. */
            total: number;
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
        };
        PersonResumeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "person/resume";
            params: components["schemas"]["PersonResumeParams"];
        };
        PersonResumeParams: {
            /** @description Issuer of the person. */
            issuer: string;
            /** @description Subject of the person. */
            subject: string;
        };
        PersonResumeResult: {
            /** @description False when the person was not suspended. */
            resumed: boolean;
        };
        PersonSuspendCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "person/suspend";
            params: components["schemas"]["PersonSuspendParams"];
        };
        PersonSuspendParams: {
            /** @description Issuer of the person. */
            issuer: string;
            /** @description Subject of the person. */
            subject: string;
            /** @description The name under which `person/listSuspended` lists the person. */
            name?: string;
        };
        PersonSuspendResult: {
            /** @description Number of ended sessions. */
            endedSessions: number;
        };
        PlaceListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "place/list";
            params?: components["schemas"]["PlaceListParams"];
        };
        PlaceListParams: Record<string, never>;
        PlaceListResult: {
            /** @description At most 50, the oldest first. */
            favourites: {
                provider: components["schemas"]["ProviderName"];
                bucket: components["schemas"]["BucketName"];
                /** @description The folder; empty for the bucket. */
                prefix: string;
            }[];
            /** @description At most 20, the latest first. */
            recent: {
                provider: components["schemas"]["ProviderName"];
                bucket: components["schemas"]["BucketName"];
                /** @description The folder; empty for the bucket. */
                prefix: string;
            }[];
        };
        PlaceMarkCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "place/mark";
            params: components["schemas"]["PlaceMarkParams"];
        };
        PlaceMarkParams: {
            /**
             * @description `favourite` adds the places to the favourites, `plain` removes them, `opened` puts them at the front of the recent ones.
             * @enum {string}
             */
            mark: "favourite" | "plain" | "opened";
            places: {
                provider: components["schemas"]["ProviderName"];
                bucket: components["schemas"]["BucketName"];
                /** @description The folder; empty for the bucket. */
                prefix: string;
            }[];
        };
        PlaceMarkResult: {
            /** @description At most 50, the oldest first. */
            favourites: {
                provider: components["schemas"]["ProviderName"];
                bucket: components["schemas"]["BucketName"];
                /** @description The folder; empty for the bucket. */
                prefix: string;
            }[];
            /** @description At most 20, the latest first. */
            recent: {
                provider: components["schemas"]["ProviderName"];
                bucket: components["schemas"]["BucketName"];
                /** @description The folder; empty for the bucket. */
                prefix: string;
            }[];
        };
        PolicyWhoCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "policy/who";
            params: components["schemas"]["PolicyWhoParams"];
        };
        PolicyWhoParams: {
            /** @enum {string} */
            action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read";
            provider: components["schemas"]["ProviderName"];
            /** @description Bucket name. */
            bucket?: string;
            /** @description Ask about a new object directly beneath this. */
            prefix?: string;
            /** @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte. */
            key?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description Maximum number of groups and people in an answer. By default `200`. */
            limit?: number;
        };
        PolicyWhoResult: {
            /** @description The `cursor` of the next page; every answer of the page ends at the same group or person. Null at the end. */
            nextCursor: string | null;
            answers: {
                /** @enum {string} */
                action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge";
                /** @description The answer is about an object of the place that no rule names more closely, such as a new one. */
                unnamed: boolean;
                /** @description The key or prefix that the answer is about, when some storage takes the one that was asked about for it. A request is allowed only if the answers for all names of the object allow it. */
                takenFor?: {
                    key?: string;
                    prefix?: string;
                };
                /** @description Whether everybody who is signed in, and is not in `holders`, may do it. */
                everybody: boolean;
                holders: {
                    /** @description A group, or a person by issuer and subject. */
                    group?: string;
                    issuer?: string;
                    subject?: string;
                    /** @description Whether it is a local user. The groups of a local user have no effect. */
                    local: boolean;
                    /** @description Condition under which the entry applies. Without it, the entry applies to everybody in the group, or to the person. */
                    only?: {
                        /** @description Only the person with this subject. */
                        subject?: string;
                        /** @description Only people who also have this group. */
                        group?: string;
                        /**
                         * @description Only people whose subject, or one of whose groups, cannot be the name of a folder.
                         * @enum {string}
                         */
                        unsafe?: "subject" | "group";
                    };
                    /** @enum {string} */
                    outcome: "allowed" | "denied";
                    rules: {
                        /** @enum {string} */
                        effect: "allow" | "deny";
                        policy: string;
                        /** @description Index of the rule in its policy, from 0. */
                        rule: number;
                        resource: components["schemas"]["WrittenSelector"];
                        by: {
                            /** @enum {string} */
                            from: "binding" | "local user";
                            /** @description Index of the binding or local user, from 0. */
                            place: number;
                            role?: string;
                        }[];
                    }[];
                    /** @description Number of further rules that affect them there. Deny rules are listed first. */
                    leftOut: number;
                }[];
                /** @description The keys that may do it, because their creators and their scopes may: at most 200, the newest of each kind first, and in the first page alone. A key that rests or whose creator is suspended counts, because it may work again. */
                keys: {
                    /** @enum {string} */
                    kind: "apiKey" | "s3Key";
                    /** @description The public id of an API key, or the access key ID of an S3 key. */
                    id: string;
                    description: string;
                    /** @description RFC 3339. */
                    expiresAt: string | null;
                    creator: {
                        issuer: string;
                        subject: string;
                        name: string;
                    };
                }[];
                /** @description Number of further keys that may do it. */
                keysLeftOut: number;
            }[];
        };
        Principal: {
            /** @description Issuer of the identity; empty when authentication is off. */
            issuer: string;
            subject: string;
            groups: string[];
            /** @description Display name. If the provider sent no name, it is the subject. */
            name: string;
            /** @enum {string} */
            kind: "web" | "desktop";
            /** @description When the session or key expires, as RFC 3339; null when it does not, or when authentication is off. */
            expiresAt: string | null;
        };
        Problem: {
            /** @description `urn:svc:problem:<code>` */
            type: string;
            title: string;
            status: number;
            /**
             * @description The kind of the problem, by which clients tell problems apart.
             * @enum {string}
             */
            code: "invalid_request" | "session_required" | "login_invalid" | "login_replayed" | "login_rejected" | "login_refused" | "person_suspended" | "access_denied" | "admin_required" | "interactive_session_required" | "origin_mismatch" | "not_found" | "method_not_allowed" | "bucket_exists" | "bucket_not_empty" | "api_key_capacity" | "conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "rate_limited" | "internal" | "not_supported" | "identity_provider_unavailable" | "storage_unavailable" | "session_store_unavailable" | "audit_unavailable" | "overloaded" | "state_unavailable" | "session_capacity" | "identity_provider_timeout" | "storage_timeout";
            detail?: string;
            request_id: string;
            /** @description The faults of an `invalid_request`. `path` begins with the part of the request when its form is wrong, such as `query.limit` or `body.to.key`; it is the name of the member alone when its value cannot be used, such as `key` or `cursor`. */
            errors?: {
                path: string;
                message: string;
            }[];
            /** @description The action that policy was asked about, with `access_denied`. */
            action?: string;
            /** @description The resource that policy was asked about, with `access_denied`. */
            resource?: {
                [key: string]: string;
            };
            /**
             * @description Why policy denied the request, with `access_denied`.
             * @enum {string}
             */
            reason?: "no_matching_allow" | "explicit_deny";
            /**
             * @description Set with `not_found` when the ticket is not valid. The request was not performed; ask for a new ticket.
             * @enum {string}
             */
            ticket?: "not_valid";
        } & {
            [key: string]: unknown;
        };
        ProviderListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "provider/list";
            params?: components["schemas"]["ProviderListParams"];
        };
        ProviderListParams: Record<string, never>;
        ProviderListResult: {
            providers: {
                name: string;
                /** @enum {string} */
                type: "s3";
            }[];
        };
        /** @description Name of a configured storage provider. */
        ProviderName: string;
        /** @description Purpose of the key. */
        Purpose: string;
        Readiness: {
            /** @enum {string} */
            status: "ok" | "failed";
            /** @description The outcome of each check. Only people who are signed in get it. */
            checks?: {
                [key: string]: "ok" | "failed";
            };
        };
        RpcAnswer: components["schemas"]["RpcSuccess"] | components["schemas"]["RpcFailure"];
        RpcCall: components["schemas"]["InitializeCall"] | components["schemas"]["SessionGetCall"] | components["schemas"]["SessionListCall"] | components["schemas"]["SessionRevokeCall"] | components["schemas"]["SessionRevokeAllCall"] | components["schemas"]["ProviderListCall"] | components["schemas"]["BucketListCall"] | components["schemas"]["BucketGetCall"] | components["schemas"]["BucketInfoCall"] | components["schemas"]["BucketCreateCall"] | components["schemas"]["BucketDeleteCall"] | components["schemas"]["ObjectListCall"] | components["schemas"]["ObjectHeadCall"] | components["schemas"]["ObjectTagsCall"] | components["schemas"]["ObjectSetTagsCall"] | components["schemas"]["ObjectSetPropertiesCall"] | components["schemas"]["ObjectDeleteCall"] | components["schemas"]["ObjectCopyCall"] | components["schemas"]["ObjectPresignCall"] | components["schemas"]["ObjectListVersionsCall"] | components["schemas"]["ObjectRestoreCall"] | components["schemas"]["ObjectUnarchiveCall"] | components["schemas"]["ObjectPurgeCall"] | components["schemas"]["ObjectWatchCall"] | components["schemas"]["ObjectUnwatchCall"] | components["schemas"]["ObjectSearchCall"] | components["schemas"]["ObjectSizeCall"] | components["schemas"]["ObjectRestoreFolderCall"] | components["schemas"]["PermissionListCall"] | components["schemas"]["PlaceListCall"] | components["schemas"]["PlaceMarkCall"] | components["schemas"]["PolicyWhoCall"] | components["schemas"]["AuditSinksCall"] | components["schemas"]["AuditListCall"] | components["schemas"]["ObjectActivityCall"] | components["schemas"]["TransferCreateCall"] | components["schemas"]["UploadCreateCall"] | components["schemas"]["UploadGetCall"] | components["schemas"]["UploadCompleteCall"] | components["schemas"]["UploadAbortCall"] | components["schemas"]["UploadListCall"] | components["schemas"]["UploadCopyPartCall"] | components["schemas"]["SignInListCall"] | components["schemas"]["PersonSuspendCall"] | components["schemas"]["PersonResumeCall"] | components["schemas"]["PersonListSuspendedCall"] | components["schemas"]["ApiKeyCreateCall"] | components["schemas"]["ApiKeyListCall"] | components["schemas"]["ApiKeyListAllCall"] | components["schemas"]["ApiKeyRevokeAllCall"] | components["schemas"]["ApiKeyRotateCall"] | components["schemas"]["ApiKeyReplaceScopeCall"] | components["schemas"]["ApiKeyRevokeCall"] | components["schemas"]["S3KeyCreateCall"] | components["schemas"]["S3KeyListCall"] | components["schemas"]["S3KeyListAllCall"] | components["schemas"]["S3KeyRevokeAllCall"] | components["schemas"]["S3KeyRotateCall"] | components["schemas"]["S3KeyReplaceScopeCall"] | components["schemas"]["S3KeyRevokeCall"] | components["schemas"]["RpcDiscoverCall"];
        RpcDiscoverCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "rpc.discover";
            params?: Record<string, never>;
        };
        /** @description An OpenRPC document: all methods of the service, with their types and an example of each. */
        RpcDiscoverResult: {
            openrpc: string;
            methods: Record<string, never>[];
        };
        RpcFailure: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id: string | number | null;
            error: {
                /**
                 * @description A code of JSON-RPC 2.0, or one of this service from -32050 to -32001.
                 * @example -32003
                 */
                code: number;
                message: string;
                data: {
                    /**
                     * @description The kind of the error.
                     * @example access_denied
                     * @enum {string}
                     */
                    code: "invalid_request" | "session_required" | "login_invalid" | "login_replayed" | "login_rejected" | "login_refused" | "person_suspended" | "access_denied" | "admin_required" | "interactive_session_required" | "origin_mismatch" | "not_found" | "method_not_allowed" | "bucket_exists" | "bucket_not_empty" | "api_key_capacity" | "conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "rate_limited" | "internal" | "not_supported" | "identity_provider_unavailable" | "storage_unavailable" | "session_store_unavailable" | "audit_unavailable" | "overloaded" | "state_unavailable" | "session_capacity" | "identity_provider_timeout" | "storage_timeout";
                    /** @example ask for `objects:get` */
                    detail?: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        RpcSuccess: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id: string | number | null;
            result: components["schemas"]["InitializeResult"] | components["schemas"]["SessionGetResult"] | components["schemas"]["SessionListResult"] | components["schemas"]["SessionRevokeResult"] | components["schemas"]["SessionRevokeAllResult"] | components["schemas"]["ProviderListResult"] | components["schemas"]["BucketListResult"] | components["schemas"]["BucketGetResult"] | components["schemas"]["BucketInfoResult"] | components["schemas"]["BucketCreateResult"] | components["schemas"]["BucketDeleteResult"] | components["schemas"]["ObjectListResult"] | components["schemas"]["ObjectHeadResult"] | components["schemas"]["ObjectTagsResult"] | components["schemas"]["ObjectSetTagsResult"] | components["schemas"]["ObjectSetPropertiesResult"] | components["schemas"]["ObjectDeleteResult"] | components["schemas"]["ObjectCopyResult"] | components["schemas"]["ObjectPresignResult"] | components["schemas"]["ObjectListVersionsResult"] | components["schemas"]["ObjectRestoreResult"] | components["schemas"]["ObjectUnarchiveResult"] | components["schemas"]["ObjectPurgeResult"] | components["schemas"]["ObjectWatchResult"] | components["schemas"]["ObjectUnwatchResult"] | components["schemas"]["ObjectSearchResult"] | components["schemas"]["ObjectSizeResult"] | components["schemas"]["ObjectRestoreFolderResult"] | components["schemas"]["PermissionListResult"] | components["schemas"]["PlaceListResult"] | components["schemas"]["PlaceMarkResult"] | components["schemas"]["PolicyWhoResult"] | components["schemas"]["AuditSinksResult"] | components["schemas"]["AuditListResult"] | components["schemas"]["ObjectActivityResult"] | components["schemas"]["TransferCreateResult"] | components["schemas"]["UploadCreateResult"] | components["schemas"]["UploadGetResult"] | components["schemas"]["UploadCompleteResult"] | components["schemas"]["UploadAbortResult"] | components["schemas"]["UploadListResult"] | components["schemas"]["UploadCopyPartResult"] | components["schemas"]["SignInListResult"] | components["schemas"]["PersonSuspendResult"] | components["schemas"]["PersonResumeResult"] | components["schemas"]["PersonListSuspendedResult"] | components["schemas"]["ApiKeyCreateResult"] | components["schemas"]["ApiKeyListResult"] | components["schemas"]["ApiKeyListAllResult"] | components["schemas"]["ApiKeyRevokeAllResult"] | components["schemas"]["ApiKeyRotateResult"] | components["schemas"]["ApiKeyReplaceScopeResult"] | components["schemas"]["ApiKeyRevokeResult"] | components["schemas"]["S3KeyCreateResult"] | components["schemas"]["S3KeyListResult"] | components["schemas"]["S3KeyListAllResult"] | components["schemas"]["S3KeyRevokeAllResult"] | components["schemas"]["S3KeyRotateResult"] | components["schemas"]["S3KeyReplaceScopeResult"] | components["schemas"]["S3KeyRevokeResult"] | components["schemas"]["RpcDiscoverResult"];
        };
        Rule: {
            /** @enum {string} */
            effect: "allow" | "deny";
            actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge")[];
            resources: components["schemas"]["WrittenSelector"][];
        };
        S3KeyCreateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/create";
            params: components["schemas"]["S3KeyCreateParams"];
        };
        S3KeyCreateParams: {
            provider: components["schemas"]["ProviderName"];
            description: components["schemas"]["Purpose"];
            scope?: {
                rules: {
                    actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                    resources: components["schemas"]["Selector"][];
                }[];
            };
            /** @description When the key expires, as RFC 3339, at most `s3.max_lifetime_days` ahead. A key without it, or with null, lasts as long as possible. */
            expiresAt?: string | null;
        };
        S3KeyCreateResult: {
            key: {
                /**
                 * @description The access key ID. It is not secret.
                 * @example SVCABCDEFGHIJ234567X
                 */
                accessKeyId: string;
                /** @description The one provider of the key. */
                provider: string;
                description: string;
                scope: components["schemas"]["ApiKeyScope"];
                /** @description RFC 3339. */
                expiresAt: string | null;
                creator: {
                    issuer: string;
                    subject: string;
                    groups: string[];
                    name: string;
                };
                /** @description RFC 3339. */
                createdAt: string;
                /** @description RFC 3339. */
                rotatedAt: string | null;
                /** @description RFC 3339. */
                lastUsedAt: string | null;
            };
            /** @description The secret access key. It is returned here and never again. */
            secretAccessKey: string;
        };
        S3KeyListAllCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/listAll";
            params?: components["schemas"]["S3KeyListAllParams"];
        };
        S3KeyListAllParams: {
            /** @description A part of the name or of the subject of the person. Case does not matter. */
            person?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `100`. */
            limit?: number;
        };
        S3KeyListAllResult: {
            keys: {
                /**
                 * @description The access key ID. It is not secret.
                 * @example SVCABCDEFGHIJ234567X
                 */
                accessKeyId: string;
                /** @description The one provider of the key. */
                provider: string;
                description: string;
                scope: components["schemas"]["ApiKeyScope"];
                /** @description RFC 3339. */
                expiresAt: string | null;
                creator: {
                    issuer: string;
                    subject: string;
                    groups: string[];
                    name: string;
                };
                /** @description RFC 3339. */
                createdAt: string;
                /** @description RFC 3339. */
                rotatedAt: string | null;
                /** @description RFC 3339. */
                lastUsedAt: string | null;
            }[];
            /** @description Total number on all pages. */
            total: number;
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
        };
        S3KeyListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/list";
            params?: components["schemas"]["S3KeyListParams"];
        };
        S3KeyListParams: Record<string, never>;
        S3KeyListResult: {
            keys: {
                /**
                 * @description The access key ID. It is not secret.
                 * @example SVCABCDEFGHIJ234567X
                 */
                accessKeyId: string;
                /** @description The one provider of the key. */
                provider: string;
                description: string;
                scope: components["schemas"]["ApiKeyScope"];
                /** @description RFC 3339. */
                expiresAt: string | null;
                creator: {
                    issuer: string;
                    subject: string;
                    groups: string[];
                    name: string;
                };
                /** @description RFC 3339. */
                createdAt: string;
                /** @description RFC 3339. */
                rotatedAt: string | null;
                /** @description RFC 3339. */
                lastUsedAt: string | null;
            }[];
        };
        S3KeyReplaceScopeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/replaceScope";
            params: components["schemas"]["S3KeyReplaceScopeParams"];
        };
        S3KeyReplaceScopeParams: {
            /** @description The access key ID. */
            accessKeyId: string;
            scope: components["schemas"]["ApiKeyScope"];
        };
        S3KeyReplaceScopeResult: {
            key: {
                /**
                 * @description The access key ID. It is not secret.
                 * @example SVCABCDEFGHIJ234567X
                 */
                accessKeyId: string;
                /** @description The one provider of the key. */
                provider: string;
                description: string;
                scope: components["schemas"]["ApiKeyScope"];
                /** @description RFC 3339. */
                expiresAt: string | null;
                creator: {
                    issuer: string;
                    subject: string;
                    groups: string[];
                    name: string;
                };
                /** @description RFC 3339. */
                createdAt: string;
                /** @description RFC 3339. */
                rotatedAt: string | null;
                /** @description RFC 3339. */
                lastUsedAt: string | null;
            };
        };
        S3KeyRevokeAllCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/revokeAll";
            params: components["schemas"]["S3KeyRevokeAllParams"];
        };
        S3KeyRevokeAllParams: {
            /** @description Issuer of the person. */
            issuer: string;
            /** @description Subject of the person. */
            subject: string;
        };
        S3KeyRevokeAllResult: {
            /** @description Number of revoked keys. */
            revoked: number;
        };
        S3KeyRevokeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/revoke";
            params: components["schemas"]["S3KeyRevokeParams"];
        };
        S3KeyRevokeParams: {
            /** @description The access key ID. */
            accessKeyId: string;
        };
        S3KeyRevokeResult: Record<string, never>;
        S3KeyRotateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "s3Key/rotate";
            params: components["schemas"]["S3KeyRotateParams"];
        };
        S3KeyRotateParams: {
            /** @description The access key ID. */
            accessKeyId: string;
        };
        S3KeyRotateResult: {
            key: {
                /**
                 * @description The access key ID. It is not secret.
                 * @example SVCABCDEFGHIJ234567X
                 */
                accessKeyId: string;
                /** @description The one provider of the key. */
                provider: string;
                description: string;
                scope: components["schemas"]["ApiKeyScope"];
                /** @description RFC 3339. */
                expiresAt: string | null;
                creator: {
                    issuer: string;
                    subject: string;
                    groups: string[];
                    name: string;
                };
                /** @description RFC 3339. */
                createdAt: string;
                /** @description RFC 3339. */
                rotatedAt: string | null;
                /** @description RFC 3339. */
                lastUsedAt: string | null;
            };
            /** @description The secret access key. It is returned here and never again. */
            secretAccessKey: string;
        };
        Selector: {
            /** @enum {string} */
            type: "all";
        } | {
            /** @enum {string} */
            type: "provider";
            /** @description Name of a provider. */
            provider: string;
        } | {
            /** @enum {string} */
            type: "bucket";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
        } | {
            /** @enum {string} */
            type: "prefix";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
            prefix: components["schemas"]["KeyPrefix"];
        } | {
            /** @enum {string} */
            type: "object";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
            key: components["schemas"]["KeyPrefix"];
        };
        SessionGetCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "session/get";
            params?: components["schemas"]["SessionGetParams"];
        };
        SessionGetParams: Record<string, never>;
        SessionGetResult: {
            /** @description Issuer of the identity; empty when authentication is off. */
            issuer: string;
            subject: string;
            groups: string[];
            /** @description Display name. If the provider sent no name, it is the subject. */
            name: string;
            /** @enum {string} */
            kind: "web" | "desktop" | "apiKey";
            /** @description When the session or key expires, as RFC 3339; null when it does not, or when authentication is off. */
            expiresAt: string | null;
        };
        SessionListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "session/list";
            params?: components["schemas"]["SessionListParams"];
        };
        SessionListParams: {
            /** @description A part of the name or of the subject of the person. Case does not matter. */
            person?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `1000`. */
            limit?: number;
            /** @description Only sessions with this group. */
            group?: string;
        };
        SessionListResult: {
            sessions: {
                /** @description Public id of a session. It is not a credential. */
                id: string;
                subject: string;
                issuer: string;
                groups: string[];
                name: string;
                /** @enum {string} */
                kind: "web" | "desktop";
                /** @description RFC 3339. */
                since: string;
                /** @description RFC 3339. */
                expires: string;
                /** @description When the session was last used, to the minute, as RFC 3339. */
                lastUsed: string;
                /** @description The client's address at the sign-in; null if unknown. */
                address: string | null;
                /** @description Whether this request came with the session. */
                current: boolean;
            }[];
            /** @description Total number on all pages. */
            total: number;
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
        };
        SessionRevokeAllCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "session/revokeAll";
            params: components["schemas"]["SessionRevokeAllParams"];
        };
        SessionRevokeAllParams: {
            /** @description Issuer of the person. */
            issuer: string;
            /** @description Subject of the person. */
            subject: string;
        };
        SessionRevokeAllResult: {
            /** @description Number of ended sessions. */
            revoked: number;
        };
        SessionRevokeCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "session/revoke";
            params: components["schemas"]["SessionRevokeParams"];
        };
        SessionRevokeParams: {
            /** @description Public id of a session. It is not a credential. */
            id: string;
        };
        SessionRevokeResult: Record<string, never>;
        SignInListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "signIn/list";
            params?: components["schemas"]["SignInListParams"];
        };
        SignInListParams: {
            /** @description A part of the name or of the subject of the person. Case does not matter. */
            person?: string;
            /** @description Where an earlier answer to the same question stopped: its `nextCursor`. */
            cursor?: string;
            /** @description By default `1000`. */
            limit?: number;
            /** @description Only the latest successful sign-in of each person, and only if they had this group then. */
            group?: string;
            /**
             * @description Default: both successful and refused sign-ins.
             * @enum {string}
             */
            result?: "signedIn" | "refused" | "unknown";
        };
        SignInListResult: {
            signIns: {
                /** @description The ID of the request, as in the audit and the log. */
                id: string;
                /** @description RFC 3339. */
                at: string;
                /** @enum {string} */
                kind: "web" | "desktop";
                /** @description The client's address; null if unknown. */
                address: string | null;
                /** @enum {string} */
                result: "signedIn" | "refused";
                /** @description Why it was refused: a code of the problems. */
                code?: string;
                /** @description The reason in words. */
                detail?: string;
                /** @description The error that the provider sent instead of a code. */
                providerError?: string;
                issuer: string;
                /** @description Absent if the provider did not name a person. */
                subject?: string;
                /** @description The name of the person. Absent if the provider did not name a person. */
                name?: string;
                /** @description Whether a policy gives each subject a folder, and this one cannot be the name of one. */
                subjectUnsafe: boolean;
                /** @description The claim that the subject is read from. */
                subjectClaim: string;
                /** @description The claim that the groups are read from. */
                groupsClaim: string;
                /** @description Whether the person had that claim. */
                groupsFound: boolean;
                /** @description Names of the claims that were received. */
                claims: string[];
                groups: {
                    name: string;
                    /** @description Whether a binding names the group. */
                    bound: boolean;
                    /** @description Whether a policy gives each group a folder, and this one cannot be the name of one. */
                    unsafe: boolean;
                }[];
                bindings: {
                    /** @description Index of the binding, from 0. */
                    place: number;
                    /** @description The groups that matched; none if the binding names the person. */
                    groups: string[];
                    role?: string;
                    policies?: string[];
                }[];
                /** @description Roles that the configuration gives to a local user. The groups of a local user have no effect. */
                localRoles?: string[];
                /** @description Number of further claims, groups and bindings. */
                leftOut: number;
            }[];
            /** @description Total number on all pages. */
            total: number;
            /** @description The `cursor` of the next page; null at the end. */
            nextCursor: string | null;
        };
        TokenAnswer: {
            /** @description Opaque session credential. */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Seconds until the session expires. */
            expires_in: number;
        };
        TokenFault: {
            error: string;
            error_description?: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "authorization_code";
            /** @enum {string} */
            client_id: "svc-desktop";
            /** @description The redirect URI, exactly as in the authorize request. */
            redirect_uri: string;
            /**
             * @description The code from the loopback redirect.
             * @example SplxlOBeZQQYbYS6WxSbIA
             */
            code: string;
            /** @description PKCE verifier. */
            code_verifier: string;
        };
        TransferCreateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "transfer/create";
            params: components["schemas"]["TransferCreateParams"];
        };
        TransferCreateParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @enum {string} */
            direction: "download" | "upload";
            /**
             * @description Read this version instead of the newest. This also asks `objects:versions`.
             * @example 3HL4kqtJvjVBH40Nrjfkd
             */
            version?: string;
            upload?: {
                /** @description Id of the upload. */
                id: string;
                part: number;
            };
            /** @description Headers to store with the object, by their names in lower case: `x-amz-meta-…` (at most 2 KiB in all), `cache-control`, `content-disposition`, `content-encoding`, `content-language`, `expires`, `x-amz-storage-class` and `x-amz-tagging`. */
            stored?: {
                [key: string]: string;
            };
        };
        TransferCreateResult: {
            url: string;
            /** @enum {string} */
            method: "GET" | "PUT";
            expiresAt: string;
        };
        UploadAbortCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/abort";
            params: components["schemas"]["UploadAbortParams"];
        };
        UploadAbortParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Id of the upload. */
            id: string;
        };
        UploadAbortResult: {
            /** @description Whether there was such an upload. */
            wasOpen: boolean;
        };
        UploadCompleteCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/complete";
            params: components["schemas"]["UploadCompleteParams"];
        };
        UploadCompleteParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Id of the upload. */
            id: string;
            /** @description The parts to join, in the order of their numbers. No other part is used. */
            parts: {
                number: number;
                /** @description ETag from the answer to the part. */
                etag: string;
            }[];
            /**
             * @description With `*` the request is refused when the object exists.
             * @enum {string}
             */
            ifNoneMatch?: "*";
            ifMatch?: components["schemas"]["IfMatch"];
        };
        UploadCompleteResult: {
            key: string;
            etag: string;
            /** @description Bytes of the object. */
            size: number;
        };
        UploadCopyPartCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/copyPart";
            params: components["schemas"]["UploadCopyPartParams"];
        };
        UploadCopyPartParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Id of the upload. */
            id: string;
            number: number;
            /** @description The source, at the same provider. */
            from: {
                bucket: components["schemas"]["BucketName"];
                key: components["schemas"]["ObjectKey"];
            };
            /**
             * @description The bytes of the source, from the first to the last. Without a range, the whole source becomes the part.
             * @example bytes=0-5242879
             */
            range?: string;
            /** @description As the header of this name says about the source. */
            sourceIfMatch?: string;
            /** @description As the header of this name says about the source. */
            sourceIfNoneMatch?: string;
            /** @description As the header of this name says about the source. */
            sourceIfModifiedSince?: string;
            /** @description As the header of this name says about the source. */
            sourceIfUnmodifiedSince?: string;
        };
        UploadCopyPartResult: {
            number: number;
            etag: string;
            /** @description RFC 3339. */
            lastModified: string;
        };
        UploadCreateCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/create";
            params: components["schemas"]["UploadCreateParams"];
        };
        UploadCreateParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Media type. */
            contentType?: string;
            /** @description Headers to store with the object, by their names in lower case: `x-amz-meta-…` (at most 2 KiB in all), `cache-control`, `content-disposition`, `content-encoding`, `content-language`, `expires`, `x-amz-storage-class` and `x-amz-tagging`. */
            stored?: {
                [key: string]: string;
            };
        };
        UploadCreateResult: {
            id: string;
            key: string;
        };
        UploadGetCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/get";
            params: components["schemas"]["UploadGetParams"];
        };
        UploadGetParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Id of the upload. */
            id: string;
        };
        UploadGetResult: {
            parts: {
                number: number;
                /** @description Bytes. */
                size: number;
                etag: string;
                /** @description RFC 3339. */
                lastModified: string | null;
            }[];
        };
        UploadListCall: {
            /** @enum {string} */
            jsonrpc: "2.0";
            /**
             * @description The answer repeats this id. A call without an id is a notification and has no answer.
             * @example 1
             */
            id?: string | number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            method: "upload/list";
            params: components["schemas"]["UploadListParams"];
        };
        UploadListParams: {
            provider: components["schemas"]["ProviderName"];
            bucket: components["schemas"]["BucketName"];
            /** @description Only uploads of keys that start with this prefix are listed. By default `""`. */
            prefix?: string;
            /** @description `nextCursor` of the previous page, for the same prefix. */
            cursor?: string;
            /** @description By default `200`. */
            limit?: number;
        };
        UploadListResult: {
            uploads: {
                key: string;
                id: string;
                /** @description RFC 3339. */
                initiated: string | null;
            }[];
            /** @description The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one. */
            nextCursor: string | null;
        };
        Written: {
            key: string;
            etag: string;
        };
        WrittenSelector: {
            /** @enum {string} */
            type: "all";
        } | {
            /** @enum {string} */
            type: "provider";
            /** @description Name of a provider. */
            provider: string;
        } | {
            /** @enum {string} */
            type: "bucket";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
        } | {
            /** @enum {string} */
            type: "prefix";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
            prefix: components["schemas"]["KeyPrefix"];
            /** @enum {string} */
            each?: "subject" | "group";
        } | {
            /** @enum {string} */
            type: "object";
            /** @description Name of a provider. */
            provider: string;
            /** @description Name of a bucket. */
            bucket: string;
            key: components["schemas"]["KeyPrefix"];
        };
    };
    responses: {
        /** @description `invalid_request` */
        invalid_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `session_required` */
        session_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `login_invalid` */
        login_invalid: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `login_replayed` */
        login_replayed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `login_rejected` */
        login_rejected: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `login_refused` */
        login_refused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `person_suspended` */
        person_suspended: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `access_denied` */
        access_denied: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `admin_required` */
        admin_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `interactive_session_required` */
        interactive_session_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `origin_mismatch` */
        origin_mismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found` */
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `method_not_allowed` */
        method_not_allowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bucket_exists` */
        bucket_exists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `bucket_not_empty` */
        bucket_not_empty: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `api_key_capacity` */
        api_key_capacity: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict` */
        conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `precondition_failed` */
        precondition_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `payload_too_large` */
        payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type` */
        unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `range_not_satisfiable` */
        range_not_satisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited` */
        rate_limited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal` */
        internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_supported` */
        not_supported: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `identity_provider_unavailable` */
        identity_provider_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `storage_unavailable` */
        storage_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `session_store_unavailable` */
        session_store_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `audit_unavailable` */
        audit_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `overloaded` */
        overloaded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `state_unavailable` */
        state_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `session_capacity` */
        session_capacity: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `identity_provider_timeout` */
        identity_provider_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `storage_timeout` */
        storage_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The id of the request in the log.
         * @example 4f1f2a3e-8b5c-4d0e-9a57-0c8f7b6a1d2e
         */
        "X-Request-Id": string;
        /**
         * @description The address to go to.
         * @example /main/photos/
         */
        Location: string;
        /**
         * @description The methods that the path has.
         * @example GET, HEAD
         */
        Allow: string;
        /**
         * @description `svc_login` binds a sign-in to the browser. `svc_session` holds the session; signing out clears it.
         * @example svc_session=s%3A2mLk; Path=/; HttpOnly; SameSite=Lax
         */
        "Set-Cookie": string;
        /**
         * @description Seconds to wait before trying again.
         * @example 2
         */
        "Retry-After": string;
        /**
         * @description The version of the content; it changes with the content.
         * @example "9b2cf535f27731c974343645a3985328"
         */
        ETag: string;
        /**
         * @description An HTTP date.
         * @example Sat, 31 Jan 2026 09:30:00 GMT
         */
        "Last-Modified": string;
        /**
         * @description Bytes of the answer. It is missing when storage does not give the length.
         * @example 48213
         */
        "Content-Length": string;
        /**
         * @description The range that is sent, and the size of the object.
         * @example bytes 0-1023/48213
         */
        "Content-Range": string;
        /**
         * @description Always `bytes`: ranges of bytes can be requested.
         * @example bytes
         */
        "Accept-Ranges": string;
        /**
         * @description `inline` or `attachment`, and the file name.
         * @example inline; filename="beach.jpg"; filename*=UTF-8''beach.jpg
         */
        "Content-Disposition": string;
        /**
         * @description The storage class. It is missing when storage does not say.
         * @example DEEP_ARCHIVE
         */
        "X-Amz-Storage-Class": string;
        /**
         * @description Of an archived object: whether it is being brought back, or until when it can be read.
         * @example ongoing-request="true"
         */
        "X-Amz-Restore": string;
        /**
         * @description How the version is locked.
         * @example GOVERNANCE
         */
        "X-Amz-Object-Lock-Mode": string;
        /**
         * @description Until when the version cannot be deleted.
         * @example 2027-01-31T09:30:00Z
         */
        "X-Amz-Object-Lock-Retain-Until-Date": string;
        /**
         * @description `ON`: the version cannot be deleted until somebody ends the hold.
         * @example ON
         */
        "X-Amz-Object-Lock-Legal-Hold": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getApiProvidersProviderPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The allowed actions of `providers:read`, `buckets:read` and `buckets:create`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actions": [
                     *         "providers:list"
                     *       ],
                     *       "here": [
                     *         "providers:list"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiProvidersProviderPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The allowed actions of `providers:read`, `buckets:read` and `buckets:create`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiProvidersProviderBucketsBucketPermissions: {
        parameters: {
            query?: {
                /**
                 * @description Ask about the keys that start with this.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Ask about exactly this key.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The allowed actions, in a fixed order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actions": [
                     *         "providers:list"
                     *       ],
                     *       "here": [
                     *         "providers:list"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postApiProvidersProviderBucketsBucketPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "keys": [
                 *         "2025/summer/beach.jpg"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Ask about each of these keys. */
                    keys: components["schemas"]["ObjectKey"][];
                };
            };
        };
        responses: {
            /** @description The allowed actions of each key, in a fixed order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": {
                     *         "2025/summer/beach.jpg": [
                     *           "objects:list",
                     *           "objects:get"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeyPermissions"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiProvidersProviderBucketsBucketPermissions: {
        parameters: {
            query?: {
                /**
                 * @description Ask about the keys that start with this.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Ask about exactly this key.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The allowed actions, in a fixed order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiProvidersProviderBucketsBucketObjects: {
        parameters: {
            query?: {
                /**
                 * @description Only keys that start with this prefix are listed.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
                 * @example /
                 */
                delimiter?: "/";
                /**
                 * @description `nextCursor` of the previous page, for the same prefix and delimiter.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects and prefixes. It is empty when you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "objects": [
                     *         {
                     *           "key": "2025/summer/beach.jpg",
                     *           "size": 48213,
                     *           "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *           "last_modified": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "prefixes": [
                     *         "2025/"
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        objects: {
                            key: string;
                            /** @description Bytes. */
                            size: number;
                            etag: string;
                            /** @description RFC 3339. */
                            last_modified: string;
                        }[];
                        prefixes: string[];
                        /** @description The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one. */
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What you may see of the page has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketObjects: {
        parameters: {
            query?: {
                /**
                 * @description Only keys that start with this prefix are listed.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
                 * @example /
                 */
                delimiter?: "/";
                /**
                 * @description `nextCursor` of the previous page, for the same prefix and delimiter.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects and prefixes. It is empty when you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What you may see of the page has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketObject: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
                /**
                 * @description Read this version instead of the newest. This also asks `objects:versions`.
                 * @example 3HL4kqtJvjVBH40Nrjfkd
                 */
                version?: string;
                /**
                 * @description `1` makes the answer an attachment.
                 * @example 0
                 */
                download?: "0" | "1";
            };
            header?: {
                /**
                 * @description One range of bytes. Any other range is ignored, and HEAD ignores the header.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The range is used only when the object still has this ETag.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
                /**
                 * @description An HTTP date. It is ignored when `If-None-Match` is sent too.
                 * @example Sat, 31 Jan 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "*/*": unknown;
                };
            };
            /** @description The requested range of the object. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "*/*": unknown;
                };
            };
            /** @description The object has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            416: components["responses"]["range_not_satisfiable"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    putApiProvidersProviderBucketsBucketObject: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
                /**
                 * @description With `1` only the content is replaced: the object keeps its content type, stored headers, metadata, tags and storage class. `If-Match` is required, and you need `objects:get` too.
                 * @example 1
                 */
                keep?: "1";
            };
            header?: {
                /**
                 * @description The write is refused when the object exists.
                 * @example *
                 */
                "If-None-Match"?: "*";
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example the bytes */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The object was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\""
                     *     }
                     */
                    "application/json": components["schemas"]["Written"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    deleteApiProvidersProviderBucketsBucketObject: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The object was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketObject: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
                /**
                 * @description Read this version instead of the newest. This also asks `objects:versions`.
                 * @example 3HL4kqtJvjVBH40Nrjfkd
                 */
                version?: string;
                /**
                 * @description `1` makes the answer an attachment.
                 * @example 0
                 */
                download?: "0" | "1";
            };
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
                /**
                 * @description An HTTP date. It is ignored when `If-None-Match` is sent too.
                 * @example Sat, 31 Jan 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The object has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectsDelete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "keys": [
                 *         "2025/summer/beach.jpg"
                 *       ]
                 *     }
                 */
                "application/json": {
                    keys: components["schemas"]["ObjectKey"][];
                };
            };
        };
        responses: {
            /** @description The outcome for each key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deleted": [
                     *         "2025/summer/beach.jpg"
                     *       ],
                     *       "failed": [
                     *         {
                     *           "key": "2025/summer/beach.jpg",
                     *           "code": "access_denied"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectsCopy: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The write is refused when the object exists.
                 * @example *
                 */
                "If-None-Match"?: "*";
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "to": {
                 *         "provider": "main",
                 *         "bucket": "photos",
                 *         "key": "2025/summer/beach.jpg"
                 *       },
                 *       "move": true
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    to: {
                        /** @description Name of a configured storage provider. */
                        provider?: string;
                        /** @description Bucket name. */
                        bucket?: string;
                        key: components["schemas"]["ObjectKey"];
                    };
                    /** @description Delete the source when the target has been written. By default `false`. */
                    move?: boolean;
                };
            };
        };
        responses: {
            /** @description The object was copied or moved. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "main",
                     *       "bucket": "photos",
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *       "last_modified": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        provider: string;
                        bucket: string;
                        key: string;
                        etag: string;
                        /** @description RFC 3339. */
                        last_modified: string | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectPresign: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "method": "GET",
                 *       "expires_in": 3600
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    /** @enum {string} */
                    method: "GET" | "PUT";
                    /** @description Seconds until the link expires. */
                    expires_in: number;
                };
            };
        };
        responses: {
            /** @description The link, and the time at which it expires. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://storage.example.com/photos/2025/summer/beach.jpg?X-Amz-Signature=6b1f",
                     *       "method": "GET",
                     *       "expires_at": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        url: string;
                        /** @enum {string} */
                        method: "GET" | "PUT";
                        /** @description When the link expires, as RFC 3339. This is earlier than `expiresIn` when the storage credentials expire earlier. */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    putApiProvidersProviderBucketsBucketObjectProperties: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content_type": "image/jpeg",
                 *       "metadata": [
                 *         {
                 *           "name": "photos",
                 *           "value": "Jörg"
                 *         }
                 *       ],
                 *       "if_match": "\"d41d8cd98f00b204e9800998ecf8427e\""
                 *     }
                 */
                "application/json": {
                    /** @description Media type. */
                    content_type?: string;
                    metadata?: {
                        /** @description Name without `x-amz-meta-`, in lower case. */
                        name: string;
                        value: string | null;
                    }[];
                    /**
                     * @description ETag of the version that changes. The request is refused when the object has another one.
                     * @example "d41d8cd98f00b204e9800998ecf8427e"
                     */
                    if_match: string;
                };
            };
        };
        responses: {
            /** @description The object has these properties. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *       "last_modified": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": {
                        key: string;
                        etag: string;
                        /** @description RFC 3339. */
                        last_modified: string | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    putApiProvidersProviderBucketsBucketObjectTags: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         {
                 *           "key": "2025/summer/beach.jpg",
                 *           "value": "approved"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    tags: {
                        /** @description Name of the tag. */
                        key: string;
                        /**
                         * @description Value of the tag.
                         * @example approved
                         */
                        value: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The object has these tags. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg"
                     *     }
                     */
                    "application/json": {
                        key: string;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketObjectActivity: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit entries about the object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lines": [
                     *         {
                     *           "time": "2026-01-31T09:30:00.000Z",
                     *           "operation": "object/read",
                     *           "move": true,
                     *           "outcome": "done",
                     *           "why": "access_denied",
                     *           "action": "objects:get",
                     *           "version": "3HL4kqtJvjVBH40Nrjfkd",
                     *           "issuer": "https://id.example.com",
                     *           "subject": "ada",
                     *           "name": "photos",
                     *           "via": "web"
                     *         }
                     *       ],
                     *       "others_see": "all",
                     *       "next_cursor": null,
                     *       "complete": true
                     *     }
                     */
                    "application/json": {
                        lines: {
                            /** @description RFC 3339. */
                            time: string;
                            operation: string;
                            /** @description Whether an `object/copy` was a move. */
                            move?: boolean;
                            /**
                             * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                             * @enum {string}
                             */
                            outcome: "done" | "denied" | "failed" | "partly" | "unknown";
                            why?: string;
                            action?: string;
                            /**
                             * @description The version of the object, when the request named one and you may see its versions.
                             * @example 3HL4kqtJvjVBH40Nrjfkd
                             */
                            version?: string;
                            issuer: string;
                            subject: string;
                            name: string;
                            via: string;
                        }[];
                        /**
                         * @description What people who are no administrators see of what others did with the object: everything, changes alone, or nothing. Administrators see everything.
                         * @enum {string}
                         */
                        others_see: "all" | "changes" | "off";
                        /** @description The `cursor` of the next page; null at the end. */
                        next_cursor: string | null;
                        /** @description False while the index lacks newer lines: query again in a moment. */
                        complete: boolean;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketObjectActivity: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit entries about the object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketSearch: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name. Case does not matter. With a slash, it is compared with the whole path below `prefix`, otherwise only with the name.
                 * @example beach
                 */
                q?: string;
                /**
                 * @description Only keys that start with this prefix are searched.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Whether folders are found by their name too. Folders have no kind, size or date, so filters for these exclude them.
                 * @example true
                 */
                folders?: boolean;
                /**
                 * @description Kind of the object, according to the ending of its name.
                 * @example image
                 */
                kind?: "image" | "video" | "audio" | "pdf" | "csv" | "text" | "code" | "document" | "spreadsheet" | "presentation" | "archive" | "data" | "font" | "other";
                /**
                 * @description Bytes.
                 * @example 1024
                 */
                min_size?: number;
                /**
                 * @description Bytes.
                 * @example 1048576
                 */
                max_size?: number;
                /**
                 * @description Only objects that were last changed then or later. A day (UTC) or a time, as in RFC 3339.
                 * @example 2025-01-31
                 */
                after?: string;
                /**
                 * @description Only objects that were last changed earlier. A day (UTC) or a time, as in RFC 3339.
                 * @example 2025-01-31
                 */
                before?: string;
                /**
                 * @description Only objects with this tag whose tags you may read: its name, or `name=value`. Case matters; the first `=` divides. Storage is asked once for each object that the other filters leave. Folders have no tags.
                 * @example state
                 */
                tag?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. There are none if you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "object": {
                     *         "key": "2025/summer/beach.jpg",
                     *         "size": 48213,
                     *         "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *         "last_modified": "2026-01-31T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/x-ndjson": {
                        object?: {
                            key: string;
                            /** @description Bytes. */
                            size: number;
                            etag: string;
                            /** @description RFC 3339. */
                            last_modified: string;
                        };
                        /** @description A folder whose name was found. */
                        prefix?: string;
                        /** @description Number of keys that you may list and that were checked. */
                        seen?: number;
                        /** @description The last line: the answer is complete. */
                        done?: boolean;
                        /** @description The last line, if there is more: the `cursor` of the next request. Its results add to these. */
                        next_cursor?: string;
                        /** @description The last line, when something failed on the way: a problem document. */
                        error?: {
                            /** @description `urn:svc:problem:<code>` */
                            type: string;
                            title: string;
                            status: number;
                            /** @description The kind of the problem, by which clients tell problems apart. */
                            code: string;
                            detail?: string;
                            request_id: string;
                            /** @description The faults of an `invalid_request`. `path` begins with the part of the request when its form is wrong, such as `query.limit` or `body.to.key`; it is the name of the member alone when its value cannot be used, such as `key` or `cursor`. */
                            errors?: {
                                path: string;
                                message: string;
                            }[];
                            /** @description The action that policy was asked about, with `access_denied`. */
                            action?: string;
                            /** @description The resource that policy was asked about, with `access_denied`. */
                            resource?: {
                                [key: string]: string;
                            };
                            /**
                             * @description Why policy denied the request, with `access_denied`.
                             * @enum {string}
                             */
                            reason?: "no_matching_allow" | "explicit_deny";
                            /**
                             * @description Set with `not_found` when the ticket is not valid. The request was not performed; ask for a new ticket.
                             * @enum {string}
                             */
                            ticket?: "not_valid";
                        } & {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketSearch: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name. Case does not matter. With a slash, it is compared with the whole path below `prefix`, otherwise only with the name.
                 * @example beach
                 */
                q?: string;
                /**
                 * @description Only keys that start with this prefix are searched.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Whether folders are found by their name too. Folders have no kind, size or date, so filters for these exclude them.
                 * @example true
                 */
                folders?: boolean;
                /**
                 * @description Kind of the object, according to the ending of its name.
                 * @example image
                 */
                kind?: "image" | "video" | "audio" | "pdf" | "csv" | "text" | "code" | "document" | "spreadsheet" | "presentation" | "archive" | "data" | "font" | "other";
                /**
                 * @description Bytes.
                 * @example 1024
                 */
                min_size?: number;
                /**
                 * @description Bytes.
                 * @example 1048576
                 */
                max_size?: number;
                /**
                 * @description Only objects that were last changed then or later. A day (UTC) or a time, as in RFC 3339.
                 * @example 2025-01-31
                 */
                after?: string;
                /**
                 * @description Only objects that were last changed earlier. A day (UTC) or a time, as in RFC 3339.
                 * @example 2025-01-31
                 */
                before?: string;
                /**
                 * @description Only objects with this tag whose tags you may read: its name, or `name=value`. Case matters; the first `=` divides. Storage is asked once for each object that the other filters leave. Folders have no tags.
                 * @example state
                 */
                tag?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. There are none if you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketSize: {
        parameters: {
            query?: {
                /**
                 * @description Only keys that start with this prefix are counted.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. They are empty if you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "objects": 1000,
                     *       "bytes": 48213000,
                     *       "deletable": 0
                     *     }
                     */
                    "application/x-ndjson": {
                        /** @description Number of objects that you may list, without the markers of empty folders. */
                        objects?: number;
                        /** @description Their bytes together. */
                        bytes?: number;
                        /** @description Number of these that you may delete. */
                        deletable?: number;
                        folder?: {
                            /** @description A folder directly beneath the prefix. */
                            prefix: string;
                            /** @description Number of objects that you may list, without the markers of empty folders. */
                            objects: number;
                            /** @description Their bytes together. */
                            bytes: number;
                            /** @description Number of these that you may delete. */
                            deletable: number;
                        };
                        /** @description The last line: the answer is complete. */
                        done?: boolean;
                        /** @description The last line, if there is more: the `cursor` of the next request. Its results add to these. */
                        next_cursor?: string;
                        /** @description The last line, when something failed on the way: a problem document. */
                        error?: {
                            /** @description `urn:svc:problem:<code>` */
                            type: string;
                            title: string;
                            status: number;
                            /** @description The kind of the problem, by which clients tell problems apart. */
                            code: string;
                            detail?: string;
                            request_id: string;
                            /** @description The faults of an `invalid_request`. `path` begins with the part of the request when its form is wrong, such as `query.limit` or `body.to.key`; it is the name of the member alone when its value cannot be used, such as `key` or `cursor`. */
                            errors?: {
                                path: string;
                                message: string;
                            }[];
                            /** @description The action that policy was asked about, with `access_denied`. */
                            action?: string;
                            /** @description The resource that policy was asked about, with `access_denied`. */
                            resource?: {
                                [key: string]: string;
                            };
                            /**
                             * @description Why policy denied the request, with `access_denied`.
                             * @enum {string}
                             */
                            reason?: "no_matching_allow" | "explicit_deny";
                            /**
                             * @description Set with `not_found` when the ticket is not valid. The request was not performed; ask for a new ticket.
                             * @enum {string}
                             */
                            ticket?: "not_valid";
                        } & {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketSize: {
        parameters: {
            query?: {
                /**
                 * @description Only keys that start with this prefix are counted.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. They are empty if you may list nothing here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketObjectThumbnail: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thumbnail, without the metadata of the picture. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Length": components["headers"]["Content-Length"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "image/webp": unknown;
                };
            };
            /** @description The thumbnail has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketObjectThumbnail: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thumbnail, without the metadata of the picture. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Length": components["headers"]["Content-Length"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The thumbnail has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketArchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "keys": [
                 *         "2025/summer/beach.jpg"
                 *       ],
                 *       "prefixes": [
                 *         "2025/"
                 *       ],
                 *       "skip_denied": true,
                 *       "name": "photos"
                 *     }
                 */
                "application/json": {
                    keys?: components["schemas"]["ObjectKey"][];
                    prefixes?: components["schemas"]["KeyPrefix"][];
                    /** @description Leave out the keys that you may not read, instead of refusing the request. By default `false`. */
                    skip_denied?: boolean;
                    /** @description File name of the ZIP archive. By default it is the name of the bucket or of the folder. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description A ZIP stream. When something fails on the way, the connection is cut off, so that an incomplete archive is noticed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "application/zip": unknown;
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketUploads: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "content_type": "image/jpeg"
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    /** @description Media type. */
                    content_type?: string;
                };
            };
        };
        responses: {
            /** @description The upload has begun. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "2mLk9wQx",
                     *       "key": "2025/summer/beach.jpg"
                     *     }
                     */
                    "application/json": {
                        id: string;
                        key: string;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    putApiProvidersProviderBucketsBucketUploadsIdPartsNumber: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
                /**
                 * @description Id of the upload.
                 * @example 2mLk9wQx
                 */
                id: string;
                /** @example 1 */
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example the bytes */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The part was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "number": 1,
                     *       "size": 48213,
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\""
                     *     }
                     */
                    "application/json": components["schemas"]["Part"];
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketUploadsId: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
                /**
                 * @description Id of the upload.
                 * @example 2mLk9wQx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parts, by number. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "parts": [
                     *         {
                     *           "number": 1,
                     *           "size": 48213,
                     *           "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *           "last_modified": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        parts: {
                            number: number;
                            /** @description Bytes. */
                            size: number;
                            etag: string;
                            /** @description RFC 3339. */
                            last_modified: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    deleteApiProvidersProviderBucketsBucketUploadsId: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
                /**
                 * @description Id of the upload.
                 * @example 2mLk9wQx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload and its parts were dropped. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketUploadsId: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
                /**
                 * @description Id of the upload.
                 * @example 2mLk9wQx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parts, by number. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketUploadsIdComplete: {
        parameters: {
            query: {
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key: components["schemas"]["ObjectKey"];
            };
            header?: {
                /**
                 * @description The write is refused when the object exists.
                 * @example *
                 */
                "If-None-Match"?: "*";
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
                /**
                 * @description Id of the upload.
                 * @example 2mLk9wQx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parts": [
                 *         {
                 *           "number": 1,
                 *           "etag": "\"9b2cf535f27731c974343645a3985328\""
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The parts to join, in the order of their numbers. No other part is used. */
                    parts: {
                        number: number;
                        /** @description ETag from the answer to the part. */
                        etag: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The parts were joined, and the object exists. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *       "size": 48213
                     *     }
                     */
                    "application/json": {
                        key: string;
                        etag: string;
                        /** @description Bytes of the object. */
                        size: number;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers on which policy allows you `providers:list`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "providers": [
                     *         {
                     *           "name": "photos",
                     *           "type": "s3"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        providers: {
                            name: string;
                            /** @enum {string} */
                            type: "s3";
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers on which policy allows you `providers:list`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiProvidersProviderBuckets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The buckets on which policy allows you `buckets:list`. The list is empty if you may see none, even if the provider does not exist. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "name": "photos",
                     *           "created_at": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        buckets: {
                            name: string;
                            /** @description RFC 3339. */
                            created_at: string | null;
                        }[];
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBuckets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "photos"
                 *     }
                 */
                "application/json": {
                    name: components["schemas"]["BucketName"];
                };
            };
        };
        responses: {
            /** @description The bucket was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos"
                     *     }
                     */
                    "application/json": {
                        name: string;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            /** @description `bucket_exists`, `conflict` */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBuckets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The buckets on which policy allows you `buckets:list`. The list is empty if you may see none, even if the provider does not exist. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    deleteApiProvidersProviderBucketsBucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["bucket_not_empty"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versioning, object lock, and how long old versions are kept. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "versioning": "enabled",
                     *       "object_lock": true,
                     *       "can_list_versions": true,
                     *       "kept_days": 30
                     *     }
                     */
                    "application/json": {
                        name: string;
                        /**
                         * @description Whether the bucket keeps what is overwritten or deleted. `suspended`: it keeps old versions, but no new ones. `unknown`: storage does not tell.
                         * @enum {string}
                         */
                        versioning: "enabled" | "suspended" | "never" | "unknown";
                        object_lock: boolean | null;
                        /** @description Whether the storage credentials of the service may list versions. */
                        can_list_versions: boolean;
                        kept_days: number | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versioning, object lock, and how long old versions are kept. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiProvidersProviderBucketsBucketVersions: {
        parameters: {
            query?: {
                /**
                 * @description Only the versions of this object are listed.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description Only versions of keys that start with this prefix are listed.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
                 * @example /
                 */
                delimiter?: "/";
                /**
                 * @description `nextCursor` of the previous page of the same listing.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. It is empty when you may see none here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "versions": [
                     *         {
                     *           "key": "2025/summer/beach.jpg",
                     *           "version": "3HL4kqtJvjVBH40Nrjfkd",
                     *           "is_latest": true,
                     *           "is_delete_marker": true,
                     *           "size": 48213,
                     *           "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *           "last_modified": "2026-01-31T09:30:00.000Z",
                     *           "storage_class": "STANDARD"
                     *         }
                     *       ],
                     *       "prefixes": [
                     *         "2025/"
                     *       ],
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description By key, and the versions of a key from the newest on. */
                        versions: {
                            key: string;
                            /**
                             * @description Its id. `null`, as a text, for one that was written while the bucket kept no versions.
                             * @example 3HL4kqtJvjVBH40Nrjfkd
                             */
                            version: string;
                            /** @description Whether it is the newest version of its key. */
                            is_latest: boolean;
                            /** @description Whether the object was deleted at this time. A delete marker has no content. */
                            is_delete_marker: boolean;
                            /** @description Bytes. */
                            size: number;
                            /** @description Null for a delete marker. */
                            etag: string | null;
                            /** @description RFC 3339. */
                            last_modified: string;
                            /**
                             * @description Null for a delete marker, and when storage does not say.
                             * @example STANDARD
                             */
                            storage_class: string | null;
                        }[];
                        prefixes: string[];
                        /** @description The `cursor` of the next page; null on the last page. A page may be short, even empty, and still have a next one. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headApiProvidersProviderBucketsBucketVersions: {
        parameters: {
            query?: {
                /**
                 * @description Only the versions of this object are listed.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description Only versions of keys that start with this prefix are listed.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description With a delimiter, keys beneath the next slash are grouped into `prefixes`.
                 * @example /
                 */
                delimiter?: "/";
                /**
                 * @description `nextCursor` of the previous page of the same listing.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. It is empty when you may see none here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectRestore: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The write is refused when the object exists.
                 * @example *
                 */
                "If-None-Match"?: "*";
            };
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "version": "3HL4kqtJvjVBH40Nrjfkd"
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    /**
                     * @description Version of the object, as a listing of versions gives it: `null`, as a text, for one that was written while the bucket kept no versions.
                     * @example 3HL4kqtJvjVBH40Nrjfkd
                     */
                    version: string;
                };
            };
        };
        responses: {
            /** @description The newest version of the object now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "provider": "main",
                     *       "bucket": "photos",
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *       "last_modified": "2026-01-31T09:30:00.000Z",
                     *       "version": "3HL4kqtJvjVBH40Nrjfkd",
                     *       "is_restored": true
                     *     }
                     */
                    "application/json": {
                        provider: string;
                        bucket: string;
                        key: string;
                        etag: string;
                        /** @description RFC 3339. */
                        last_modified: string | null;
                        /**
                         * @description The newest version of the object now: the copy, or the same version when nothing was done.
                         * @example 3HL4kqtJvjVBH40Nrjfkd
                         */
                        version: string;
                        /** @description False when the version was the newest already, so that nothing was done. */
                        is_restored: boolean;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectsRestore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prefix": "2025/",
                 *       "at": "2026-01-31T17:00:00Z",
                 *       "dry_run": true,
                 *       "if_unmodified_since": "2026-01-31T17:00:00Z",
                 *       "cursor": "q1YqSyxSslJQ"
                 *     }
                 */
                "application/json": {
                    /** @description Only keys that start with this prefix are brought back to the moment. By default `""`. */
                    prefix?: string;
                    /**
                     * @description The moment. A time as in RFC 3339.
                     * @example 2026-01-31T17:00:00Z
                     */
                    at: string;
                    /** @description Only tell what would be done. By default `false`. */
                    dry_run?: boolean;
                    /**
                     * @description The time of the plan that somebody agreed to: its `plannedAt`. Objects that were changed since then stay as they are. A time as in RFC 3339.
                     * @example 2026-01-31T17:00:00Z
                     */
                    if_unmodified_since?: string;
                    /** @description `nextCursor` of the previous answer, whose counts these are added to. */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description The plan, or what was done. Both are empty if you may see no versions here. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entry": {
                     *         "key": "2025/summer/beach.jpg",
                     *         "change": "restore",
                     *         "version": "3HL4kqtJvjVBH40Nrjfkd",
                     *         "size": 48213,
                     *         "why": null
                     *       }
                     *     }
                     */
                    "application/x-ndjson": {
                        /** @description RFC 3339. */
                        planned_at?: string;
                        entry?: {
                            key: string;
                            /**
                             * @description `restore`: content of that time is brought back. `delete`: the object did not exist then and is deleted; its versions stay. `leave`: it stays as it is, because of `why`.
                             * @enum {string}
                             */
                            change: "restore" | "delete" | "leave";
                            /**
                             * @description The version that is brought back, otherwise null.
                             * @example 3HL4kqtJvjVBH40Nrjfkd
                             */
                            version: string | null;
                            /** @description Bytes of the content that comes back; otherwise of the newest content, 0 if it is deleted. */
                            size: number;
                            /**
                             * @description Why the object stays as it is: `access_denied`: policy does not allow the change. `not_kept`: the content of that time is not kept any more, or nobody knows whether there was any. `not_versioned`: the bucket keeps no new versions now, so the change could not be undone. `changed`: somebody changed it since the plan. Otherwise the code of the error. Null when it does not stay.
                             * @example not_kept
                             */
                            why: string | null;
                        };
                        counts?: {
                            /** @description What is brought back. `bytes` is the size of the content that comes back. */
                            restore: {
                                /** @description Number of objects. */
                                objects: number;
                                bytes: number;
                            };
                            /** @description What is deleted. */
                            delete: {
                                /** @description Number of objects. */
                                objects: number;
                                bytes: number;
                            };
                            /** @description What is not as it was then and stays as it is. `bytes` is its size now. */
                            leave: {
                                /** @description Number of objects. */
                                objects: number;
                                bytes: number;
                            };
                            /** @description What is as it was then, so that nothing is done. Deleted objects are not counted. */
                            unchanged: {
                                /** @description Number of objects. */
                                objects: number;
                                bytes: number;
                            };
                        };
                        /** @description The last line: every object was looked at. */
                        done?: boolean;
                        /** @description The last line, if there is more: the `cursor` of the next request. Add up the counts of all answers. */
                        next_cursor?: string;
                        /** @description The last line, when something failed on the way: a problem document. */
                        error?: {
                            /** @description `urn:svc:problem:<code>` */
                            type: string;
                            title: string;
                            status: number;
                            /** @description The kind of the problem, by which clients tell problems apart. */
                            code: string;
                            detail?: string;
                            request_id: string;
                            /** @description The faults of an `invalid_request`. `path` begins with the part of the request when its form is wrong, such as `query.limit` or `body.to.key`; it is the name of the member alone when its value cannot be used, such as `key` or `cursor`. */
                            errors?: {
                                path: string;
                                message: string;
                            }[];
                            /** @description The action that policy was asked about, with `access_denied`. */
                            action?: string;
                            /** @description The resource that policy was asked about, with `access_denied`. */
                            resource?: {
                                [key: string]: string;
                            };
                            /**
                             * @description Why policy denied the request, with `access_denied`.
                             * @enum {string}
                             */
                            reason?: "no_matching_allow" | "explicit_deny";
                            /**
                             * @description Set with `not_found` when the ticket is not valid. The request was not performed; ask for a new ticket.
                             * @enum {string}
                             */
                            ticket?: "not_valid";
                        } & {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectUnarchive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "days": 7,
                 *       "tier": "bulk"
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    /** @description How long it can be read then. By default `7`. */
                    days?: number;
                    /**
                     * @description How fast storage brings it back. Faster costs more, and not every archive has each. By default `"standard"`.
                     * @enum {string}
                     */
                    tier?: "bulk" | "standard" | "expedited";
                };
            };
        };
        responses: {
            /** @description Storage was asked, or had been asked before. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "status": "begun"
                     *     }
                     */
                    "application/json": {
                        key: string;
                        /**
                         * @description `begun`: storage brings it back from now on, which takes minutes to days. `underway`: it was doing so already. `readable`: it can be read, for `days` from now.
                         * @enum {string}
                         */
                        status: "begun" | "underway" | "readable";
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    postApiProvidersProviderBucketsBucketObjectPurge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket: components["schemas"]["BucketName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "2025/summer/beach.jpg",
                 *       "version": "3HL4kqtJvjVBH40Nrjfkd",
                 *       "if_unmodified_since": "2026-01-31T17:00:00Z"
                 *     }
                 */
                "application/json": {
                    key: components["schemas"]["ObjectKey"];
                    /**
                     * @description Version of the object, as a listing of versions gives it: `null`, as a text, for one that was written while the bucket kept no versions.
                     * @example 3HL4kqtJvjVBH40Nrjfkd
                     */
                    version: string;
                    /**
                     * @description Nothing is deleted if the version is later than this, for example the `lastModified` that was listed: other content gets the version `null` when it is replaced. A time as in RFC 3339.
                     * @example 2026-01-31T17:00:00Z
                     */
                    if_unmodified_since?: string;
                };
            };
        };
        responses: {
            /** @description The version was deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "version": "3HL4kqtJvjVBH40Nrjfkd"
                     *     }
                     */
                    "application/json": {
                        key: string;
                        /**
                         * @description The version that was deleted.
                         * @example 3HL4kqtJvjVBH40Nrjfkd
                         */
                        version: string;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiPlaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The favourites, the oldest first, and the recent places, the latest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "favourites": [
                     *         {
                     *           "provider": "main",
                     *           "bucket": "photos",
                     *           "prefix": "2025/"
                     *         }
                     *       ],
                     *       "recent": [
                     *         {
                     *           "provider": "main",
                     *           "bucket": "photos",
                     *           "prefix": "2025/"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description At most 50, the oldest first. */
                        favourites: {
                            provider: components["schemas"]["ProviderName"];
                            bucket: components["schemas"]["BucketName"];
                            /** @description The folder; empty for the bucket. */
                            prefix: string;
                        }[];
                        /** @description At most 20, the latest first. */
                        recent: {
                            provider: components["schemas"]["ProviderName"];
                            bucket: components["schemas"]["BucketName"];
                            /** @description The folder; empty for the bucket. */
                            prefix: string;
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postApiPlaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mark": "favourite",
                 *       "places": [
                 *         {
                 *           "provider": "main",
                 *           "bucket": "photos",
                 *           "prefix": "2025/"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `favourite` adds the places to the favourites, `plain` removes them, `opened` puts them at the front of the recent ones.
                     * @enum {string}
                     */
                    mark: "favourite" | "plain" | "opened";
                    places: {
                        provider: components["schemas"]["ProviderName"];
                        bucket: components["schemas"]["BucketName"];
                        /** @description The folder; empty for the bucket. */
                        prefix: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description All your places. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "favourites": [
                     *         {
                     *           "provider": "main",
                     *           "bucket": "photos",
                     *           "prefix": "2025/"
                     *         }
                     *       ],
                     *       "recent": [
                     *         {
                     *           "provider": "main",
                     *           "bucket": "photos",
                     *           "prefix": "2025/"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description At most 50, the oldest first. */
                        favourites: {
                            provider: components["schemas"]["ProviderName"];
                            bucket: components["schemas"]["BucketName"];
                            /** @description The folder; empty for the bucket. */
                            prefix: string;
                        }[];
                        /** @description At most 20, the latest first. */
                        recent: {
                            provider: components["schemas"]["ProviderName"];
                            bucket: components["schemas"]["BucketName"];
                            /** @description The folder; empty for the bucket. */
                            prefix: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiPlaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The favourites, the oldest first, and the recent places, the latest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each role with its policies. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "roles": [
                     *         {
                     *           "name": "photos",
                     *           "policies": [
                     *             "photographers"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        roles: {
                            name: string;
                            policies: string[];
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminRoles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each role with its policies. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each policy with its normalized rules, from which decisions are made. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policies": [
                     *         {
                     *           "name": "photos",
                     *           "source": "built-in",
                     *           "rules": [
                     *             {
                     *               "effect": "allow",
                     *               "actions": [
                     *                 "providers:list"
                     *               ],
                     *               "resources": [
                     *                 {
                     *                   "type": "all"
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        policies: {
                            name: string;
                            /** @enum {string} */
                            source: "built-in" | "config" | "iam";
                            rules: components["schemas"]["Rule"][];
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each policy with its normalized rules, from which decisions are made. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminBindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each binding with its groups or subjects, and the role or policies that they get. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bindings": [
                     *         {
                     *           "groups": [
                     *             "photographers"
                     *           ],
                     *           "subjects": [
                     *             {
                     *               "issuer": "https://id.example.com",
                     *               "subject": "ada"
                     *             }
                     *           ],
                     *           "role": "viewer",
                     *           "policies": [
                     *             "photographers"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        bindings: {
                            groups?: string[];
                            subjects?: {
                                issuer: string;
                                subject: string;
                            }[];
                            role?: string;
                            policies?: string[];
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminBindings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each binding with its groups or subjects, and the role or policies that they get. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers that respond, the problems of the others, and the times of the checks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "providers": [
                     *         {
                     *           "name": "photos",
                     *           "reachable": true,
                     *           "reason": null,
                     *           "took_ms": 24,
                     *           "checked_at": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        providers: {
                            name: string;
                            /** @description Whether storage responded. */
                            reachable: boolean;
                            /** @description The problem; null if there is none. */
                            reason: string | null;
                            /** @description Milliseconds that the check took. */
                            took_ms: number;
                            /** @description RFC 3339. */
                            checked_at: string;
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers that respond, the problems of the others, and the times of the checks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminSessions: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name or of the subject of the person. Case does not matter.
                 * @example ada
                 */
                person?: string;
                /**
                 * @description Only sessions with this group.
                 * @example staff
                 */
                group?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 1000 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active sessions with the person, their beginning and expiry, the address, and the last use. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "id": "2mLk9wQx",
                     *           "subject": "ada",
                     *           "issuer": "https://id.example.com",
                     *           "groups": [
                     *             "photographers"
                     *           ],
                     *           "name": "photos",
                     *           "kind": "web",
                     *           "since": "2026-01-31T09:30:00.000Z",
                     *           "expires": "2026-01-31T09:30:00.000Z",
                     *           "last_used": "2026-01-31T09:30:00.000Z",
                     *           "address": "203.0.113.9",
                     *           "current": true
                     *         }
                     *       ],
                     *       "total": 12,
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        sessions: {
                            /** @description Public id of a session. It is not a credential. */
                            id: string;
                            subject: string;
                            issuer: string;
                            groups: string[];
                            name: string;
                            /** @enum {string} */
                            kind: "web" | "desktop";
                            /** @description RFC 3339. */
                            since: string;
                            /** @description RFC 3339. */
                            expires: string;
                            /** @description When the session was last used, to the minute, as RFC 3339. */
                            last_used: string;
                            /** @description The client's address at the sign-in; null if unknown. */
                            address: string | null;
                            /** @description Whether this request came with the session. */
                            current: boolean;
                        }[];
                        /** @description Total number on all pages. */
                        total: number;
                        /** @description The `cursor` of the next page; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminSessions: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name or of the subject of the person. Case does not matter.
                 * @example ada
                 */
                person?: string;
                /**
                 * @description Only sessions with this group.
                 * @example staff
                 */
                group?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 1000 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active sessions with the person, their beginning and expiry, the address, and the last use. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminSignIns: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name or of the subject of the person. Case does not matter.
                 * @example ada
                 */
                person?: string;
                /**
                 * @description Only the latest successful sign-in of each person, and only if they had this group then.
                 * @example staff
                 */
                group?: string;
                /**
                 * @description Default: both successful and refused sign-ins.
                 * @example signedIn
                 */
                result?: "signedIn" | "refused" | "unknown";
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 1000 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response of the identity provider, the claims and bindings that were used, and the reason of a refusal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sign_ins": [
                     *         {
                     *           "id": "2mLk9wQx",
                     *           "at": "2026-01-31T09:30:00.000Z",
                     *           "kind": "web",
                     *           "address": "203.0.113.9",
                     *           "result": "signedIn",
                     *           "code": "access_denied",
                     *           "detail": "the ID token is not valid: its `aud` does not fit; sign in again",
                     *           "provider_error": "access_denied",
                     *           "issuer": "https://id.example.com",
                     *           "subject": "ada",
                     *           "name": "photos",
                     *           "subject_unsafe": true,
                     *           "subject_claim": "sub",
                     *           "groups_claim": "groups",
                     *           "groups_found": true,
                     *           "claims": [
                     *             "groups"
                     *           ],
                     *           "groups": [
                     *             {
                     *               "name": "photos",
                     *               "bound": true,
                     *               "unsafe": true
                     *             }
                     *           ],
                     *           "bindings": [
                     *             {
                     *               "place": 0,
                     *               "groups": [
                     *                 "photographers"
                     *               ],
                     *               "role": "viewer",
                     *               "policies": [
                     *                 "photographers"
                     *               ]
                     *             }
                     *           ],
                     *           "local_roles": [
                     *             "viewer"
                     *           ],
                     *           "left_out": 0
                     *         }
                     *       ],
                     *       "total": 12,
                     *       "next_cursor": null
                     *     }
                     */
                    "application/json": {
                        sign_ins: {
                            /** @description The ID of the request, as in the audit and the log. */
                            id: string;
                            /** @description RFC 3339. */
                            at: string;
                            /** @enum {string} */
                            kind: "web" | "desktop";
                            /** @description The client's address; null if unknown. */
                            address: string | null;
                            /** @enum {string} */
                            result: "signedIn" | "refused";
                            /** @description Why it was refused: a code of the problems. */
                            code?: string;
                            /** @description The reason in words. */
                            detail?: string;
                            /** @description The error that the provider sent instead of a code. */
                            provider_error?: string;
                            issuer: string;
                            /** @description Absent if the provider did not name a person. */
                            subject?: string;
                            /** @description The name of the person. Absent if the provider did not name a person. */
                            name?: string;
                            /** @description Whether a policy gives each subject a folder, and this one cannot be the name of one. */
                            subject_unsafe: boolean;
                            /** @description The claim that the subject is read from. */
                            subject_claim: string;
                            /** @description The claim that the groups are read from. */
                            groups_claim: string;
                            /** @description Whether the person had that claim. */
                            groups_found: boolean;
                            /** @description Names of the claims that were received. */
                            claims: string[];
                            groups: {
                                name: string;
                                /** @description Whether a binding names the group. */
                                bound: boolean;
                                /** @description Whether a policy gives each group a folder, and this one cannot be the name of one. */
                                unsafe: boolean;
                            }[];
                            bindings: {
                                /** @description Index of the binding, from 0. */
                                place: number;
                                /** @description The groups that matched; none if the binding names the person. */
                                groups: string[];
                                role?: string;
                                policies?: string[];
                            }[];
                            /** @description Roles that the configuration gives to a local user. The groups of a local user have no effect. */
                            local_roles?: string[];
                            /** @description Number of further claims, groups and bindings. */
                            left_out: number;
                        }[];
                        /** @description Total number on all pages. */
                        total: number;
                        /** @description The `cursor` of the next page; null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminSignIns: {
        parameters: {
            query?: {
                /**
                 * @description A part of the name or of the subject of the person. Case does not matter.
                 * @example ada
                 */
                person?: string;
                /**
                 * @description Only the latest successful sign-in of each person, and only if they had this group then.
                 * @example staff
                 */
                group?: string;
                /**
                 * @description Default: both successful and refused sign-ins.
                 * @example signedIn
                 */
                result?: "signedIn" | "refused" | "unknown";
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 1000 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response of the identity provider, the claims and bindings that were used, and the reason of a refusal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postApiAdminSessionsRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer": "https://id.example.com",
                 *       "subject": "ada"
                 *     }
                 */
                "application/json": {
                    /** @description Issuer of the person. */
                    issuer: string;
                    /** @description Subject of the person. */
                    subject: string;
                };
            };
        };
        responses: {
            /** @description Number of ended sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revoked": 2
                     *     }
                     */
                    "application/json": {
                        /** @description Number of ended sessions. */
                        revoked: number;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteApiAdminSessionsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Public id of a session. It is not a credential.
                 * @example 2mLk9wQx
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postApiAdminExplain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer": "https://id.example.com",
                 *       "subject": "ada",
                 *       "groups": [
                 *         "photographers"
                 *       ],
                 *       "action": "providers:list",
                 *       "provider": "main",
                 *       "bucket": "photos",
                 *       "prefix": "2025/",
                 *       "key": "2025/summer/beach.jpg"
                 *     }
                 */
                "application/json": {
                    /** @description Issuer of the person; by default the administrator's own issuer. */
                    issuer?: string;
                    /** @description Subject claim of the person. */
                    subject?: string;
                    groups?: string[];
                    /**
                     * @description Default: every action.
                     * @enum {string}
                     */
                    action?: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read";
                    provider: components["schemas"]["ProviderName"];
                    /** @description Bucket name. */
                    bucket?: string;
                    /** @description Ask about a new object directly beneath this. */
                    prefix?: string;
                    /** @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte. */
                    key?: string;
                };
            };
        };
        responses: {
            /** @description The decision, and every rule that matches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allowed": true,
                     *       "roles": [
                     *         "viewer"
                     *       ],
                     *       "policies": [
                     *         "photographers"
                     *       ],
                     *       "answers": [
                     *         {
                     *           "action": "providers:list",
                     *           "allowed": true,
                     *           "reason": "allowed",
                     *           "unnamed": true,
                     *           "somewhere": true,
                     *           "matches": [
                     *             {
                     *               "effect": "allow",
                     *               "policy": "photographers",
                     *               "rule": 0,
                     *               "resource": {
                     *                 "type": "all"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Whether every one of `answers` is allowed. */
                        allowed: boolean;
                        roles: string[];
                        policies: string[];
                        answers: {
                            /** @enum {string} */
                            action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge";
                            allowed: boolean;
                            /** @enum {string} */
                            reason: "allowed" | "explicit_deny" | "no_matching_allow";
                            /** @description The answer is about a bucket or an object of the place that no rule names more closely, such as a new one. */
                            unnamed?: boolean;
                            /** @description With `unnamed`: whether it is allowed somewhere in the place. */
                            somewhere?: boolean;
                            matches: {
                                /** @enum {string} */
                                effect: "allow" | "deny";
                                policy: string;
                                /** @description Index of the rule in its policy, from 0. */
                                rule: number;
                                resource: components["schemas"]["Selector"];
                            }[];
                        }[];
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getApiAdminAudit: {
        parameters: {
            query?: {
                /**
                 * @description Exact subject of the person who made the request.
                 * @example ada
                 */
                subject?: string;
                /**
                 * @description Issuer of the person.
                 * @example https://id.example.com
                 */
                issuer?: string;
                /**
                 * @description Exactly this provider, or with `bucket` this bucket, or with `key` this object.
                 * @example main
                 */
                provider?: string;
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket?: string;
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description The text of a resource, exactly: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`.
                 * @example main/photos/2025/summer/beach.jpg
                 */
                resource?: string;
                /**
                 * @description Name of an operation, such as `object/delete`.
                 * @example object/read
                 */
                operation?: string;
                /**
                 * @description `changes`: without reads, and without the steps of a transfer that were done, such as tickets and parts. `storage`: without the reads of anything but storage, such as those of the administration pages.
                 * @example changes
                 */
                only?: "changes" | "storage";
                /**
                 * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                 * @example done
                 */
                outcome?: "done" | "denied" | "failed" | "partly" | "unknown";
                /**
                 * @description RFC 3339: from this moment.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description RFC 3339: before this moment.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operations, with the person, the resources and the outcome. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lines": [
                     *         {
                     *           "instance": "files-1",
                     *           "seq": 1841,
                     *           "time": "2026-01-31T09:30:00.000Z",
                     *           "operation": "object/read",
                     *           "outcome": "done",
                     *           "why": "access_denied",
                     *           "issuer": "https://id.example.com",
                     *           "subject": "ada",
                     *           "name": "photos",
                     *           "via": "web",
                     *           "credential_id": "2mLk9wQx",
                     *           "policy_revision": "4f2a9c",
                     *           "address": "203.0.113.9",
                     *           "face": "http",
                     *           "request_id": "0b0c8f3e-9c43-4d0f-9f0a-0d9a3a1f7f55",
                     *           "bytes": 48213,
                     *           "duration_ms": 12.5,
                     *           "line": 1,
                     *           "lines": 1,
                     *           "changes": true,
                     *           "resources": [
                     *             {
                     *               "resource": "main/photos/2025/summer/beach.jpg",
                     *               "provider": "main",
                     *               "bucket": "photos",
                     *               "key": "2025/summer/beach.jpg",
                     *               "action": "objects:get",
                     *               "outcome": "done",
                     *               "rule": "photographers 0"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "next_cursor": null,
                     *       "complete": true
                     *     }
                     */
                    "application/json": {
                        lines: {
                            /** @description The folder of the chain, which names the instance that wrote it. */
                            instance: string;
                            /** @description Number of the line in its chain. */
                            seq: number;
                            /** @description RFC 3339. */
                            time: string;
                            operation: string;
                            /**
                             * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                             * @enum {string}
                             */
                            outcome: "done" | "denied" | "failed" | "partly" | "unknown";
                            why?: string;
                            issuer: string;
                            subject: string;
                            name: string;
                            via: string;
                            credential_id?: string;
                            policy_revision?: string;
                            address?: string;
                            face: string;
                            request_id: string;
                            bytes?: number;
                            duration_ms?: number;
                            line?: number;
                            lines?: number;
                            /** @description Whether the operation changes something, or hands out something that can be used later. */
                            changes: boolean;
                            resources: {
                                /** @description The resource as people read it: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`. */
                                resource: string;
                                provider?: string;
                                bucket?: string;
                                key?: string;
                                /** @description The start of keys, for a listing or a folder of an archive. */
                                prefix?: string;
                                session?: string;
                                api_key?: string;
                                s3_key?: string;
                                person?: string;
                                action?: string;
                                /** @enum {string} */
                                outcome?: "done" | "denied" | "failed" | "untouched";
                                why?: string;
                                /**
                                 * @description The rule that decided: the name of the policy, and the place in it, from 0.
                                 * @example photographers 0
                                 */
                                rule?: string;
                                /**
                                 * @description The version of the object, when the request named one.
                                 * @example 3HL4kqtJvjVBH40Nrjfkd
                                 */
                                version?: string;
                                of?: {
                                    issuer: string;
                                    subject: string;
                                    name: string;
                                };
                            }[];
                        }[];
                        /** @description The `cursor` of the next page; null at the end. */
                        next_cursor: string | null;
                        /** @description False while the index lacks newer lines: query again in a moment. */
                        complete: boolean;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminAudit: {
        parameters: {
            query?: {
                /**
                 * @description Exact subject of the person who made the request.
                 * @example ada
                 */
                subject?: string;
                /**
                 * @description Issuer of the person.
                 * @example https://id.example.com
                 */
                issuer?: string;
                /**
                 * @description Exactly this provider, or with `bucket` this bucket, or with `key` this object.
                 * @example main
                 */
                provider?: string;
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket?: string;
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description The text of a resource, exactly: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`.
                 * @example main/photos/2025/summer/beach.jpg
                 */
                resource?: string;
                /**
                 * @description Name of an operation, such as `object/delete`.
                 * @example object/read
                 */
                operation?: string;
                /**
                 * @description `changes`: without reads, and without the steps of a transfer that were done, such as tickets and parts. `storage`: without the reads of anything but storage, such as those of the administration pages.
                 * @example changes
                 */
                only?: "changes" | "storage";
                /**
                 * @description `unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.
                 * @example done
                 */
                outcome?: "done" | "denied" | "failed" | "partly" | "unknown";
                /**
                 * @description RFC 3339: from this moment.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description RFC 3339: before this moment.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                to?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /** @example 200 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operations, with the person, the resources and the outcome. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminAuditSinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sinks in the order of the configuration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "instance": "files-1",
                     *       "sinks": [
                     *         {
                     *           "name": "siem",
                     *           "type": "http",
                     *           "host": "collector.example.com",
                     *           "operations": [
                     *             "object/write"
                     *           ],
                     *           "outcomes": [
                     *             "done"
                     *           ],
                     *           "places": [
                     *             "main/photos/incoming/"
                     *           ],
                     *           "failing": true,
                     *           "unsent_bytes": 5120,
                     *           "lag_seconds": 12.5,
                     *           "sent_lines": 1042,
                     *           "skipped_lines": 0,
                     *           "last_sent_at": "2026-01-31T09:30:00.000Z",
                     *           "failures": [
                     *             {
                     *               "at": "2026-01-31T09:30:00.000Z",
                     *               "why": "the receiver answered with status 503"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description The folder of the process that answers. Other processes send their own lines.
                         * @example files-1
                         */
                        instance: string;
                        sinks: {
                            /**
                             * @description The name of the sink in the configuration.
                             * @example siem
                             */
                            name: string;
                            /** @enum {string} */
                            type: "http" | "syslog";
                            /**
                             * @description The host of its address. The rest of the address may be secret, and is left out.
                             * @example collector.example.com
                             */
                            host: string;
                            operations: string[] | null;
                            outcomes: string[] | null;
                            places: string[] | null;
                            /** @description Whether the latest attempt failed. */
                            failing: boolean;
                            /**
                             * @description Bytes of lines that wait.
                             * @example 5120
                             */
                            unsent_bytes: number;
                            /**
                             * @description Age of the oldest line that waits; 0 when none waits.
                             * @example 12.5
                             */
                            lag_seconds: number;
                            /**
                             * @description Lines that it took since the process started.
                             * @example 1042
                             */
                            sent_lines: number;
                            /**
                             * @description Lines that it will never receive, because more waited than its spool holds.
                             * @example 0
                             */
                            skipped_lines: number;
                            /** @description RFC 3339. */
                            last_sent_at: string | null;
                            /** @description The latest failures since the process started, the latest first; at most five. */
                            failures: {
                                /** @description RFC 3339. */
                                at: string;
                                /**
                                 * @description Why it took no lines.
                                 * @example the receiver answered with status 503
                                 */
                                why: string;
                            }[];
                        }[];
                    };
                };
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminAuditSinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sinks in the order of the configuration. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAdminWho: {
        parameters: {
            query: {
                /** @example providers:list */
                action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read";
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket?: string;
                /**
                 * @description Ask about a new object directly beneath this.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /**
                 * @description Maximum number of groups and people in an answer.
                 * @example 200
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups and people who may, those whom a rule denies it, and the decision for everybody else who is signed in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next_cursor": null,
                     *       "answers": [
                     *         {
                     *           "action": "providers:list",
                     *           "unnamed": true,
                     *           "taken_for": {
                     *             "key": "2025/summer/beach.jpg",
                     *             "prefix": "2025/"
                     *           },
                     *           "everybody": true,
                     *           "holders": [
                     *             {
                     *               "group": "staff",
                     *               "issuer": "https://id.example.com",
                     *               "subject": "ada",
                     *               "local": true,
                     *               "only": {
                     *                 "subject": "ada",
                     *                 "group": "staff",
                     *                 "unsafe": "subject"
                     *               },
                     *               "outcome": "allowed",
                     *               "rules": [
                     *                 {
                     *                   "effect": "allow",
                     *                   "policy": "photographers",
                     *                   "rule": 0,
                     *                   "resource": {
                     *                     "type": "all"
                     *                   },
                     *                   "by": [
                     *                     {
                     *                       "from": "binding",
                     *                       "place": 0,
                     *                       "role": "viewer"
                     *                     }
                     *                   ]
                     *                 }
                     *               ],
                     *               "left_out": 0
                     *             }
                     *           ],
                     *           "keys": [
                     *             {
                     *               "kind": "apiKey",
                     *               "id": "2mLk9wQx",
                     *               "description": "nightly backup",
                     *               "expires_at": "2026-01-31T09:30:00.000Z",
                     *               "creator": {
                     *                 "issuer": "https://id.example.com",
                     *                 "subject": "ada",
                     *                 "name": "photos"
                     *               }
                     *             }
                     *           ],
                     *           "keys_left_out": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description The `cursor` of the next page; every answer of the page ends at the same group or person. Null at the end. */
                        next_cursor: string | null;
                        answers: {
                            /** @enum {string} */
                            action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge";
                            /** @description The answer is about an object of the place that no rule names more closely, such as a new one. */
                            unnamed: boolean;
                            /** @description The key or prefix that the answer is about, when some storage takes the one that was asked about for it. A request is allowed only if the answers for all names of the object allow it. */
                            taken_for?: {
                                key?: string;
                                prefix?: string;
                            };
                            /** @description Whether everybody who is signed in, and is not in `holders`, may do it. */
                            everybody: boolean;
                            holders: {
                                /** @description A group, or a person by issuer and subject. */
                                group?: string;
                                issuer?: string;
                                subject?: string;
                                /** @description Whether it is a local user. The groups of a local user have no effect. */
                                local: boolean;
                                /** @description Condition under which the entry applies. Without it, the entry applies to everybody in the group, or to the person. */
                                only?: {
                                    /** @description Only the person with this subject. */
                                    subject?: string;
                                    /** @description Only people who also have this group. */
                                    group?: string;
                                    /**
                                     * @description Only people whose subject, or one of whose groups, cannot be the name of a folder.
                                     * @enum {string}
                                     */
                                    unsafe?: "subject" | "group";
                                };
                                /** @enum {string} */
                                outcome: "allowed" | "denied";
                                rules: {
                                    /** @enum {string} */
                                    effect: "allow" | "deny";
                                    policy: string;
                                    /** @description Index of the rule in its policy, from 0. */
                                    rule: number;
                                    resource: {
                                        /** @enum {string} */
                                        type: "all";
                                    } | {
                                        /** @enum {string} */
                                        type: "provider";
                                        /** @description Name of a provider. */
                                        provider: string;
                                    } | {
                                        /** @enum {string} */
                                        type: "bucket";
                                        /** @description Name of a provider. */
                                        provider: string;
                                        /** @description Name of a bucket. */
                                        bucket: string;
                                    } | {
                                        /** @enum {string} */
                                        type: "prefix";
                                        /** @description Name of a provider. */
                                        provider: string;
                                        /** @description Name of a bucket. */
                                        bucket: string;
                                        prefix: components["schemas"]["KeyPrefix"];
                                        /** @enum {string} */
                                        each?: "subject" | "group";
                                    } | {
                                        /** @enum {string} */
                                        type: "object";
                                        /** @description Name of a provider. */
                                        provider: string;
                                        /** @description Name of a bucket. */
                                        bucket: string;
                                        key: components["schemas"]["KeyPrefix"];
                                    };
                                    by: {
                                        /** @enum {string} */
                                        from: "binding" | "local user";
                                        /** @description Index of the binding or local user, from 0. */
                                        place: number;
                                        role?: string;
                                    }[];
                                }[];
                                /** @description Number of further rules that affect them there. Deny rules are listed first. */
                                left_out: number;
                            }[];
                            /** @description The keys that may do it, because their creators and their scopes may: at most 200, the newest of each kind first, and in the first page alone. A key that rests or whose creator is suspended counts, because it may work again. */
                            keys: {
                                /** @enum {string} */
                                kind: "apiKey" | "s3Key";
                                /** @description The public id of an API key, or the access key ID of an S3 key. */
                                id: string;
                                description: string;
                                /** @description RFC 3339. */
                                expires_at: string | null;
                                creator: {
                                    issuer: string;
                                    subject: string;
                                    name: string;
                                };
                            }[];
                            /** @description Number of further keys that may do it. */
                            keys_left_out: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAdminWho: {
        parameters: {
            query: {
                /** @example providers:list */
                action: "providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read";
                /**
                 * @description Name of a configured storage provider.
                 * @example main
                 */
                provider: components["schemas"]["ProviderName"];
                /**
                 * @description Bucket name.
                 * @example photos
                 */
                bucket?: string;
                /**
                 * @description Ask about a new object directly beneath this.
                 * @example 2025/
                 */
                prefix?: string;
                /**
                 * @description Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.
                 * @example 2025/summer/beach.jpg
                 */
                key?: string;
                /**
                 * @description Where an earlier answer to the same question stopped: its `nextCursor`.
                 * @example q1YqSyxSslJQ
                 */
                cursor?: string;
                /**
                 * @description Maximum number of groups and people in an answer.
                 * @example 200
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups and people who may, those whom a rule denies it, and the decision for everybody else who is signed in. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    postApiAdminViewAs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "issuer": "https://id.example.com",
                 *       "subject": "ada",
                 *       "groups": [
                 *         "photographers"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Issuer of the person; by default the administrator's own issuer. */
                    issuer?: string;
                    /** @description Subject claim of the person. */
                    subject: string;
                    groups?: string[];
                };
            };
        };
        responses: {
            /** @description The view of the person. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "roles": [
                     *         "viewer"
                     *       ],
                     *       "policies": [
                     *         "photographers"
                     *       ],
                     *       "admin": true,
                     *       "providers": [
                     *         {
                     *           "name": "photos",
                     *           "listed": true,
                     *           "actions": [
                     *             "providers:list"
                     *           ],
                     *           "others": [
                     *             "providers:list"
                     *           ],
                     *           "buckets": [
                     *             {
                     *               "name": "photos",
                     *               "listed": true,
                     *               "actions": [
                     *                 "providers:list"
                     *               ],
                     *               "here": [
                     *                 "providers:list"
                     *               ],
                     *               "places": [
                     *                 {
                     *                   "prefix": "2025/",
                     *                   "key": "2025/summer/beach.jpg",
                     *                   "actions": [
                     *                     "providers:list"
                     *                   ],
                     *                   "here": [
                     *                     "providers:list"
                     *                   ]
                     *                 }
                     *               ]
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "left_out": 0
                     *     }
                     */
                    "application/json": {
                        roles: string[];
                        policies: string[];
                        /** @description Whether the person sees the administration. */
                        admin: boolean;
                        providers: {
                            name: string;
                            /** @description Whether the person sees it in a list. Something that is not listed may open by its address. */
                            listed: boolean;
                            actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                            /** @description Actions allowed in a bucket that neither configuration nor policy names. */
                            others: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                            buckets: {
                                name: string;
                                /** @description Whether the person sees it in a list. Something that is not listed may open by its address. */
                                listed: boolean;
                                actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                                /** @description Actions allowed on a new object directly there. */
                                here: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                                places: {
                                    prefix?: string;
                                    key?: string;
                                    actions: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                                    /** @description Actions allowed on a new object directly there. */
                                    here?: ("providers:list" | "buckets:list" | "buckets:create" | "buckets:delete" | "objects:list" | "objects:get" | "objects:write" | "objects:delete" | "objects:presign" | "objects:versions" | "objects:restore" | "objects:purge" | "providers:read" | "buckets:read" | "objects:read")[];
                                }[];
                            }[];
                        }[];
                        /** @description Number of further buckets and places. An answer has at most 1,000. */
                        left_out: number;
                    };
                };
            };
            400: components["responses"]["invalid_request"];
            401: components["responses"]["session_required"];
            /** @description `admin_required`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `overloaded`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getV1TransfersTicket: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One range of bytes. Any other range is ignored, and HEAD ignores the header.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The range is used only when the object still has this ETag.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
                /**
                 * @description An HTTP date. It is ignored when `If-None-Match` is sent too.
                 * @example Sat, 31 Jan 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description A transfer ticket.
                 * @example kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs
                 */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "*/*": unknown;
                };
            };
            /** @description The requested range of the object. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example the bytes */
                    "*/*": unknown;
                };
            };
            /** @description The object has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            416: components["responses"]["range_not_satisfiable"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `overloaded`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    putV1TransfersTicket: {
        parameters: {
            query?: {
                /**
                 * @description With `1` only the content is replaced: the object keeps its content type, stored headers, metadata, tags and storage class. `If-Match` is required, and you need `objects:get` too.
                 * @example 1
                 */
                keep?: "1";
            };
            header?: {
                /**
                 * @description The write is refused when the object exists.
                 * @example *
                 */
                "If-None-Match"?: "*";
            };
            path: {
                /**
                 * @description A transfer ticket.
                 * @example kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs
                 */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example the bytes */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The object, or the part, was stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "2025/summer/beach.jpg",
                     *       "etag": "\"9b2cf535f27731c974343645a3985328\""
                     *     }
                     */
                    "application/json": components["schemas"]["Written"] | components["schemas"]["Part"];
                };
            };
            400: components["responses"]["invalid_request"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["storage_unavailable"];
            /** @description `overloaded`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    headV1TransfersTicket: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag that the client holds.
                 * @example "9b2cf535f27731c974343645a3985328"
                 */
                "If-None-Match"?: string;
                /**
                 * @description An HTTP date. It is ignored when `If-None-Match` is sent too.
                 * @example Sat, 31 Jan 2026 09:30:00 GMT
                 */
                "If-Modified-Since"?: string;
            };
            path: {
                /**
                 * @description A transfer ticket.
                 * @example kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs
                 */
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    "Content-Length": components["headers"]["Content-Length"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Amz-Storage-Class": components["headers"]["X-Amz-Storage-Class"];
                    "X-Amz-Restore": components["headers"]["X-Amz-Restore"];
                    "X-Amz-Object-Lock-Mode": components["headers"]["X-Amz-Object-Lock-Mode"];
                    "X-Amz-Object-Lock-Retain-Until-Date": components["headers"]["X-Amz-Object-Lock-Retain-Until-Date"];
                    "X-Amz-Object-Lock-Legal-Hold": components["headers"]["X-Amz-Object-Lock-Legal-Hold"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The object has not changed. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["Last-Modified"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["invalid_request"];
            /** @description `access_denied`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            501: components["responses"]["not_supported"];
            502: components["responses"]["storage_unavailable"];
            /** @description `overloaded`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            504: components["responses"]["storage_timeout"];
        };
    };
    getApiAuthLogin: {
        parameters: {
            query?: {
                /**
                 * @description Relative path to return to after the sign-in. Any other value counts as `/`.
                 * @example /main/photos/
                 */
                return_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without an identity provider, a page on which to choose a local user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description The browser goes to the identity provider (Authorization Code with PKCE). */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_invalid` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
        };
    };
    headApiAuthLogin: {
        parameters: {
            query?: {
                /**
                 * @description Relative path to return to after the sign-in. Any other value counts as `/`.
                 * @example /main/photos/
                 */
                return_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without an identity provider, a page on which to choose a local user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The browser goes to the identity provider (Authorization Code with PKCE). */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `login_invalid` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiAuthCallback: {
        parameters: {
            query: {
                /**
                 * @description State that the service sent to the provider.
                 * @example af0ifjsldkj
                 */
                state: string;
                /**
                 * @description The authorization code.
                 * @example SplxlOBeZQQYbYS6WxSbIA
                 */
                code?: string;
                /**
                 * @description The issuer, when the provider sends it (RFC 9207).
                 * @example https://id.example.com
                 */
                iss?: string;
                /**
                 * @description Error code with which the provider refused.
                 * @example access_denied
                 */
                error?: string;
                /**
                 * @description Reason why the provider refused, as text.
                 * @example The person pressed Cancel.
                 */
                error_description?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person is signed in, and the browser goes back to where the sign-in began. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_invalid`, `login_replayed`, `login_rejected` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_refused`, `person_suspended`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `session_capacity`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
        };
    };
    getApiAuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page that asks the person whether to sign out. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has ended, and the browser goes to the provider or to `/signed-out`. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
        };
    };
    getApiAuthMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the caller is signed in, with subject and groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "authenticated": true,
                     *       "auth_enabled": true,
                     *       "subject": "ada",
                     *       "groups": [
                     *         "photographers"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Me"];
                };
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiAuthMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the caller is signed in, with subject and groups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getV1AuthAuthorize: {
        parameters: {
            query?: {
                /**
                 * @description Relative path to return to after the sign-in. Any other value counts as `/`.
                 * @example /main/photos/
                 */
                return_to?: string;
                /** @example code */
                response_type?: "code";
                /** @example svc-desktop */
                client_id?: "svc-desktop";
                /**
                 * @description `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as a raw string.
                 * @example http://127.0.0.1:49152/callback
                 */
                redirect_uri?: string;
                /**
                 * @description State of the client, which is returned with the code.
                 * @example af0ifjsldkj
                 */
                state?: string;
                /**
                 * @description PKCE challenge: the SHA-256 of the verifier, base64url.
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge?: string;
                /** @example S256 */
                code_challenge_method?: "S256";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without an identity provider, a page on which to choose a local user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description The browser goes to the identity provider, or with `error` to the desktop client. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_invalid` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
        };
    };
    headV1AuthAuthorize: {
        parameters: {
            query?: {
                /**
                 * @description Relative path to return to after the sign-in. Any other value counts as `/`.
                 * @example /main/photos/
                 */
                return_to?: string;
                /** @example code */
                response_type?: "code";
                /** @example svc-desktop */
                client_id?: "svc-desktop";
                /**
                 * @description `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`, compared as a raw string.
                 * @example http://127.0.0.1:49152/callback
                 */
                redirect_uri?: string;
                /**
                 * @description State of the client, which is returned with the code.
                 * @example af0ifjsldkj
                 */
                state?: string;
                /**
                 * @description PKCE challenge: the SHA-256 of the verifier, base64url.
                 * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
                 */
                code_challenge?: string;
                /** @example S256 */
                code_challenge_method?: "S256";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without an identity provider, a page on which to choose a local user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The browser goes to the identity provider, or with `error` to the desktop client. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `login_invalid` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getV1AuthCallback: {
        parameters: {
            query: {
                /**
                 * @description State that the service sent to the provider.
                 * @example af0ifjsldkj
                 */
                state: string;
                /**
                 * @description The authorization code.
                 * @example SplxlOBeZQQYbYS6WxSbIA
                 */
                code?: string;
                /**
                 * @description The issuer, when the provider sends it (RFC 9207).
                 * @example https://id.example.com
                 */
                iss?: string;
                /**
                 * @description Error code with which the provider refused.
                 * @example access_denied
                 */
                error?: string;
                /**
                 * @description Reason why the provider refused, as text.
                 * @example The person pressed Cancel.
                 */
                error_description?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in, or on to the desktop client with its code. */
            303: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_invalid`, `login_replayed`, `login_rejected` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `login_refused`, `person_suspended`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_unavailable` */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `session_capacity`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
            /** @description `identity_provider_timeout` */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                    /** @example <!doctype html><title>Sign in again</title> */
                    "text/html": string;
                };
            };
        };
    };
    postV1AuthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "authorization_code",
                 *       "client_id": "svc-desktop",
                 *       "redirect_uri": "http://127.0.0.1:49152/callback",
                 *       "code": "SplxlOBeZQQYbYS6WxSbIA",
                 *       "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The session credential, to be sent as `Authorization: Bearer`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs",
                     *       "token_type": "Bearer",
                     *       "expires_in": 3600
                     *     }
                     */
                    "application/json": components["schemas"]["TokenAnswer"];
                };
            };
            /** @description The request was refused, with an error of RFC 6749 section 5.2. Also: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_grant",
                     *       "error_description": "the code is expired, used or does not match"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenFault"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `person_suspended`, `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_capacity`, `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postV1AuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. Open the URL to sign out at the provider too. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "endSessionUrl": "https://id.example.com/logout?id_token_hint=eyJ"
                     *     }
                     */
                    "application/json": components["schemas"]["EndSession"];
                };
            };
            /** @description The session has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postV1AuthBackchannelLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "logout_token": "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["LogoutTokenRequest"];
            };
        };
        responses: {
            /** @description The sessions have ended, or there were none. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The logout token is not valid, or was used before. Also: `invalid_request`. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "invalid_grant",
                     *       "error_description": "the code is expired, used or does not match"
                     *     }
                     */
                    "application/json": components["schemas"]["TokenFault"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["origin_mismatch"];
            404: components["responses"]["not_found"];
            405: components["responses"]["method_not_allowed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            502: components["responses"]["identity_provider_unavailable"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            504: components["responses"]["identity_provider_timeout"];
        };
    };
    getApiHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["audit_unavailable"];
        };
    };
    headApiHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            503: components["responses"]["audit_unavailable"];
        };
    };
    getApiReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every part can be used. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": {
                     *         "sessions": "ok",
                     *         "state": "ok"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description At least one part fails. Also: `audit_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": {
                     *         "sessions": "ok",
                     *         "state": "ok"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every part can be used. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description At least one part fails. Also: `audit_unavailable`. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getApiOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headApiOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getV1AuthSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person who is signed in, and when the session expires. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://id.example.com",
                     *       "subject": "ada",
                     *       "groups": [
                     *         "photographers"
                     *       ],
                     *       "name": "photos",
                     *       "kind": "web",
                     *       "expiresAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Principal"];
                };
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    headV1AuthSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person who is signed in, and when the session expires. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["session_required"];
            403: components["responses"]["origin_mismatch"];
            405: components["responses"]["method_not_allowed"];
            429: components["responses"]["rate_limited"];
            500: components["responses"]["internal"];
            /** @description `session_store_unavailable`, `audit_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getRpc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The socket is open. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `session_required` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:session_required",
                     *       "status": 401,
                     *       "code": "session_required"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "session_required";
                    };
                };
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:origin_mismatch",
                     *       "status": 403,
                     *       "code": "origin_mismatch"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "origin_mismatch";
                    };
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:method_not_allowed",
                     *       "status": 405,
                     *       "code": "method_not_allowed"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "method_not_allowed";
                    };
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:rate_limited",
                     *       "status": 429,
                     *       "code": "rate_limited"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "rate_limited";
                    };
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:internal",
                     *       "status": 500,
                     *       "code": "internal"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "internal";
                    };
                };
            };
            /** @description `session_store_unavailable`, `state_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                    /**
                     * @example {
                     *       "type": "urn:svc:problem:session_store_unavailable",
                     *       "status": 503,
                     *       "code": "session_store_unavailable"
                     *     }
                     */
                    "application/problem+json": {
                        type: string;
                        status: number;
                        /** @enum {string} */
                        code: "session_store_unavailable" | "state_unavailable";
                    };
                };
            };
        };
    };
    postRpc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "object/list",
                 *       "params": {
                 *         "provider": "main",
                 *         "bucket": "photos",
                 *         "prefix": "2025/",
                 *         "limit": 200
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RpcCall"] | components["schemas"]["RpcCall"][];
            };
        };
        responses: {
            /** @description The result or the error of each call. The answers of a batch are in the order of its calls. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jsonrpc": "2.0",
                     *       "id": 1,
                     *       "result": {
                     *         "objects": [
                     *           {
                     *             "key": "2025/summer/beach.jpg",
                     *             "size": 48213,
                     *             "etag": "\"9b2cf535f27731c974343645a3985328\"",
                     *             "lastModified": "2026-01-31T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "prefixes": [],
                     *         "nextCursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RpcAnswer"] | components["schemas"]["RpcAnswer"][];
                };
            };
            /** @description The message contained only notifications, so there is no answer. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `session_required` */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `origin_mismatch` */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `method_not_allowed` */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Allow: components["headers"]["Allow"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `internal` */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
            /** @description `overloaded`, `session_store_unavailable`, `state_unavailable` */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcFailure"];
                };
            };
        };
    };
}
