import "@mantine/core/styles.css";
import "./theme/app.css";
import "./frame/frame.css";
import "./components/tables.css";

import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { watchBrowser } from "./api/connection";
import { makeQueries } from "./api/queryClient";
import { Notices } from "./components/notices";
import { leaveForLogin } from "./routing/leaveForLogin";
import { preloadPages } from "./routing/preload";
import { makeRouter } from "./routing/router";
import { theme, variables } from "./theme/theme";

const queries = makeQueries((problem) => leaveForLogin(router, problem));
const router = makeRouter(queries);

watchBrowser();
const place = document.getElementById("root");
if (place === null) throw new Error("index.html has no place for the app");
createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
preloadPages();
