import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const FORGE = { target: process.env.FORGE_URL ?? "http://127.0.0.1:8765", changeOrigin: true };

// `/assets` is a page of the app, so the built files live under `/static`.
export default defineConfig({
  plugins: [react()],
  server: {
    port: 5173,
    proxy: { "/api": FORGE, "/healthz": FORGE },
  },
  build: {
    outDir: "../src/forge/web",
    emptyOutDir: true,
    assetsDir: "static",
    assetsInlineLimit: 0,
    sourcemap: false,
    manifest: true,
    target: "es2023",
    chunkSizeWarningLimit: 800,
  },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    css: false,
    testTimeout: 60_000,
  },
});
