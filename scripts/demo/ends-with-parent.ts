/** Loaded into the service of the demo, which would otherwise outlive a demo that is killed. */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
