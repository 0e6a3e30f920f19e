// SPDX-License-Identifier: Apache-2.0
//
// One factory per command, defined next to its class. The tables are in commands.cc and symbols.cc.
#pragma once

#include <memory>

#include "cli/command/command.h"

namespace flarestack::cli {

std::unique_ptr<Command> MakeAgentCommand();
std::unique_ptr<Command> MakeAuthCommand();
std::unique_ptr<Command> MakeCheckCommand();
std::unique_ptr<Command> MakeCompletionCommand();
std::unique_ptr<Command> MakeConfigCommand();
std::unique_ptr<Command> MakeConvertCommand();
std::unique_ptr<Command> MakeDemoCommand();
std::unique_ptr<Command> MakeDiffCommand();
std::unique_ptr<Command> MakeDoctorCommand();
std::unique_ptr<Command> MakeFlameCommand();
std::unique_ptr<Command> MakeHelpCommand();
std::unique_ptr<Command> MakeLinesCommand();
std::unique_ptr<Command> MakeListCommand();
std::unique_ptr<Command> MakeMcpCommand();
std::unique_ptr<Command> MakeOpenCommand();
std::unique_ptr<Command> MakePeekCommand();
std::unique_ptr<Command> MakeQueryCommand();
std::unique_ptr<Command> MakeRecordCommand();
std::unique_ptr<Command> MakeSendCommand();
std::unique_ptr<Command> MakeServeCommand();
std::unique_ptr<Command> MakeStoreCommand();
std::unique_ptr<Command> MakeSymbolWorkerCommand();
std::unique_ptr<Command> MakeSymbolsCommand();
std::unique_ptr<Command> MakeTagsCommand();
std::unique_ptr<Command> MakeTopCommand();
std::unique_ptr<Command> MakeTreeCommand();
std::unique_ptr<Command> MakeUpCommand();
std::unique_ptr<Command> MakeVersionCommand();

// The verbs of `symbols`.
std::unique_ptr<Command> MakeSymbolsAddr2lineCommand();
std::unique_ptr<Command> MakeSymbolsListCommand();
std::unique_ptr<Command> MakeSymbolsPushCommand();
std::unique_ptr<Command> MakeSymbolsRemoveCommand();
std::unique_ptr<Command> MakeSymbolsWhyCommand();

}  // namespace flarestack::cli
