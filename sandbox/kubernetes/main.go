// One program for the whole control plane: the name by which it is called selects the component. A single program
// links once, where seven would each link most of Kubernetes.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	kwoksignals "sigs.k8s.io/kwok/pkg/utils/signals"
	metricsserver "sigs.k8s.io/metrics-server/cmd/metrics-server/app"
)

// Each entry does what the main function of the program does.
var programs = map[string]func() error{
	"etcd":                    func() error { etcdmain.Main(os.Args); return nil },
	"kube-apiserver":          component(apiserver.NewAPIServerCommand),
	"kube-controller-manager": component(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          component(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubectl":                 runKubectl,
	"kwok":                    runKwok,
	"metrics-server":          runMetricsServer,
}

func main() {
	name := filepath.Base(os.Args[0])
	run, known := programs[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s is not a program of the control plane\n", name)
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func component(command func() *cobra.Command) func() error {
	return func() error { os.Exit(cli.Run(command())); return nil }
}

func runKubectl() error {
	logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)) //nolint:errcheck
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
	return nil
}

func runKwok() error {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(kwoksignals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		return err
	}
	command := kwok.NewCommand(ctx)
	// Kubernetes has a flag of this name too, which is not a bool as cobra expects of a command with a version.
	command.Version = ""
	command.PersistentFlags().AddFlagSet(flags)
	return command.ExecuteContext(ctx)
}

func runMetricsServer() error {
	logs.InitLogs()
	defer logs.FlushLogs()
	return metricsserver.NewMetricsServerCommand(genericapiserver.SetupSignalHandler()).Execute()
}
